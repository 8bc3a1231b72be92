package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A server to start in a process of its own, and its client. In its arguments and its
 * configuration, {@code {port}}, {@code {peer}}, and {@code {directory}} stand for its
 * port, the port for other members, and the directory of its files.
 *
 * @param name name in the report
 * @param program path of the program, or {@code null} if it is not installed
 * @param configuration content of the file {@code {directory}/configuration}
 * @param arguments arguments of the program
 * @param client connects the client
 */
record Server(String name, @Nullable String program, String configuration, List<String> arguments, Connector client) {

	/** Subdirectory with the data. */
	static final String DATA = "{directory}/data";

	private static final Path BUILD = Path.of("statestore-server/target");

	private static final String URL = "http://127.0.0.1:{port}";

	private static final String PEER_URL = "http://127.0.0.1:{peer}";

	/** Returns our standalone broker. */
	static Server broker(String name, String... options) {
		return ours(name, List.of("-Xmx2g", "-cp", System.getProperty("java.class.path"),
				"io.statestore.broker.standalone.StandaloneBroker"), options);
	}

	/** Returns the standalone broker of an executable JAR. */
	static Server packaged(String name, String jar, String... options) {
		return ours(name, List.of("-Xmx1g", "-jar", jar), options);
	}

	private static Server ours(String name, List<String> start, String... options) {
		List<String> arguments = new ArrayList<>(start);
		arguments.addAll(List.of("--port", "{port}"));
		arguments.addAll(List.of(options));
		return new Server(name, ServerProcess.java(), "", arguments, (calls, ports) -> calls.ours(ports));
	}

	/** Returns the path of the executable JAR of this build. */
	static String executable() throws IOException {
		try (Stream<Path> files = Files.list(BUILD)) {
			return files.map(Path::toString)
				.filter((file) -> file.endsWith("-exec.jar"))
				.findFirst()
				.orElseThrow(() -> new IOException("No executable JAR in " + BUILD + ". Build statestore-server"));
		}
	}

	/** Returns Redis, with or without an append-only file that it forces to the disk. */
	static Server redis(String name, boolean append) {
		return new Server(name, ServerProcess.find("redis-server"), "",
				List.of("--port", "{port}", "--bind", "127.0.0.1", "--dir", DATA, "--save", "", "--appendonly",
						append ? "yes" : "no", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"),
				(calls, ports) -> calls.lettuce(ports.get(0)));
	}

	/**
	 * Returns a member of etcd.
	 * @param members the members of its cluster
	 */
	static Server etcd(String name, String members) {
		return new Server(name, ServerProcess.find("etcd"), "",
				List.of("--name", "{node}", "--data-dir", DATA, "--listen-client-urls", URL, "--advertise-client-urls",
						URL, "--listen-peer-urls", PEER_URL, "--initial-advertise-peer-urls", PEER_URL,
						"--initial-cluster", members, "--quota-backend-bytes", String.valueOf(8L << 30)),
				Calls::jetcd);
	}

	/** Returns Mosquitto, with further lines of its configuration. */
	static Server mosquitto(String name, String configuration) {
		return new Server(name, ServerProcess.find("mosquitto"),
				"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nmax_inflight_messages 0\n"
						+ "max_queued_messages 0\nuser root\n" + configuration,
				List.of("-c", "{directory}/configuration"), (calls, ports) -> calls.ours(ports));
	}

	boolean isInstalled() {
		return this.program != null;
	}

	/** Starts the server with files in a directory, and waits until it listens. */
	ServerProcess start(Path directory) throws IOException, InterruptedException {
		return launch(directory, ServerProcess.freePort(), List.of(),
				Map.of("peer", ServerProcess.freePort(), "node", "only"))
			.awaitStart(output(directory));
	}

	/**
	 * Starts the server with files in a directory, without waiting.
	 * @param more further arguments
	 * @param values values to insert
	 */
	ServerProcess launch(Path directory, int port, List<String> more, Map<String, Object> values) throws IOException {
		Files.createDirectories(directory.resolve("data"));
		Map<String, Object> all = new HashMap<>(values);
		all.put("directory", directory);
		all.put("port", port);
		List<String> command = new ArrayList<>(List.of(String.valueOf(this.program)));
		Stream.concat(this.arguments.stream(), more.stream()).forEach((argument) -> command.add(fill(argument, all)));
		Files.writeString(directory.resolve("configuration"), fill(this.configuration, all));
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(output(directory).toFile())
			.start();
		return new ServerProcess(port, process);
	}

	/** Returns the file with the output of a server. */
	static Path output(Path directory) {
		return directory.resolve("output.txt");
	}

	private static String fill(String text, Map<String, Object> values) {
		String filled = text;
		for (Map.Entry<String, Object> value : values.entrySet()) {
			filled = filled.replace('{' + value.getKey() + '}', value.getValue().toString());
		}
		return filled;
	}

	/** Connects a client to some members of a store. */
	@FunctionalInterface
	interface Connector {

		Caller connect(Calls calls, List<Integer> ports) throws Exception;

	}

}
