package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A server to start in a process of its own. In its arguments and its configuration,
 * {@code {port}}, {@code {peer}}, and {@code {directory}} stand for its port, the port
 * for other members, and the directory of its files.
 *
 * @param name name in the report
 * @param program path of the program, or {@code null} if it is not installed
 * @param configuration content of the file {@code {directory}/configuration}
 * @param arguments arguments of the program
 */
record Server(String name, @Nullable String program, String configuration, List<String> arguments) {

	/** Subdirectory with the data. */
	static final String DATA = "data";

	private static final String MAIN = "io.statestore.broker.standalone.StandaloneBroker";

	private static final String URL = "http://127.0.0.1:{port}";

	private static final String PEER_URL = "http://127.0.0.1:{peer}";

	/** Returns our standalone broker. */
	static Server broker(String name, String... options) {
		return ours(name, List.of("-Xmx2g", "-cp", System.getProperty("java.class.path"), MAIN), options);
	}

	/** Returns the standalone broker of an executable JAR. */
	static Server packaged(String name, String jar, String... options) {
		return ours(name, List.of("-Xmx2g", "-jar", jar), options);
	}

	private static Server ours(String name, List<String> start, String... options) {
		List<String> arguments = new ArrayList<>(start);
		arguments.addAll(List.of("--port", "{port}"));
		arguments.addAll(List.of(options));
		return new Server(name, ServerProcess.java(), "", arguments);
	}

	/** Returns Redis, with or without an append-only file that it forces to the disk. */
	static Server redis(String name, boolean append) {
		return new Server(name, ServerProcess.find("redis-server"), "",
				List.of("--port", "{port}", "--bind", "127.0.0.1", "--dir", "{directory}/" + DATA, "--save", "",
						"--appendonly", append ? "yes" : "no", "--appendfsync", "always",
						"--auto-aof-rewrite-percentage", "0"));
	}

	/** Returns a cluster of etcd with a single member. */
	static Server etcd(String name) {
		return new Server(name, ServerProcess.find("etcd"), "",
				List.of("--name", "only", "--data-dir", "{directory}/" + DATA, "--listen-client-urls", URL,
						"--advertise-client-urls", URL, "--listen-peer-urls", PEER_URL, "--initial-advertise-peer-urls",
						PEER_URL, "--initial-cluster", "only=" + PEER_URL, "--quota-backend-bytes",
						String.valueOf(8L << 30)));
	}

	/** Returns Mosquitto, with further lines of its configuration. */
	static Server mosquitto(String name, String configuration) {
		return new Server(name, ServerProcess.find("mosquitto"),
				"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nmax_inflight_messages 0\n"
						+ "max_queued_messages 0\nuser root\n" + configuration,
				List.of("-c", "{directory}/configuration"));
	}

	boolean isInstalled() {
		return this.program != null;
	}

	/** Starts the server with files in a directory, and waits until it listens. */
	ServerProcess start(Path directory) throws IOException, InterruptedException {
		if (this.program == null) {
			throw new IOException("The program of '" + this.name + "' is not installed");
		}
		Files.createDirectories(directory.resolve(DATA));
		String port = String.valueOf(ServerProcess.freePort());
		String peer = String.valueOf(ServerProcess.freePort());
		List<String> command = new ArrayList<>(List.of(this.program));
		this.arguments.forEach((argument) -> command.add(fill(argument, port, peer, directory)));
		Files.writeString(directory.resolve("configuration"), fill(this.configuration, port, peer, directory));
		Path output = output(directory);
		return ServerProcess.launch(Integer.parseInt(port), output, command).awaitStart(output);
	}

	/** Returns the file with the output of a server. */
	static Path output(Path directory) {
		return directory.resolve("output.txt");
	}

	private static String fill(String text, String port, String peer, Path directory) {
		return text.replace("{port}", port).replace("{peer}", peer).replace("{directory}", directory.toString());
	}

}
