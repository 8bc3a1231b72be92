package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three nodes of our standalone broker, started from its executable JAR. */
final class StateStoreNodes extends ThreeNodes {

	private static final List<String> NAMES = List.of("a", "b", "c");

	private static final Path BUILD = Path.of("statestore-server/target");

	private static final PathMatcher EXECUTABLE = FileSystems.getDefault()
		.getPathMatcher("glob:statestore-server-*-exec.jar");

	/** Options of the JVM of each node, for example to record it. */
	private static final String JVM_OPTIONS = System.getProperty("node.options", "");

	private final String jar;

	private final List<Integer> healthPorts = freePorts();

	private final String peers;

	/** Creates nodes of this build. */
	StateStoreNodes(Path directory) throws IOException, InterruptedException {
		this(directory, executable());
	}

	/**
	 * Creates nodes that do not run.
	 * @param jar the executable JAR file of their build
	 */
	StateStoreNodes(Path directory, String jar) throws IOException, InterruptedException {
		super(directory);
		this.jar = jar;
		List<Integer> ports = freePorts();
		this.peers = String.join(",",
				IntStream.range(0, COUNT)
					.mapToObj((node) -> NAMES.get(node) + "=localhost:" + ports.get(node))
					.toList());
		createCertificates();
	}

	static String executable() throws IOException {
		try (Stream<Path> files = Files.list(BUILD)) {
			return files.filter((file) -> EXECUTABLE.matches(file.getFileName()))
				.findFirst()
				.orElseThrow(() -> new IOException("No executable JAR in " + BUILD + ". Build statestore-server"))
				.toString();
		}
	}

	private void createCertificates() throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(ServerProcess.java(), "-jar", this.jar, "certs", "--directory",
				certificates().toString(), "--node"));
		NAMES.forEach((name) -> command.add(name + "=localhost"));
		if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
			throw new IOException("Cannot create certificates for the nodes");
		}
	}

	private Path certificates() {
		return directory().resolve("certs");
	}

	@Override
	List<String> command(int node, boolean first) {
		String name = NAMES.get(node);
		Path keys = certificates();
		List<String> command = new ArrayList<>(List.of(ServerProcess.java(), "-Xmx1g"));
		if (!JVM_OPTIONS.isEmpty()) {
			command.addAll(List.of(JVM_OPTIONS.replace("NODE", name).split(" ")));
		}
		command.addAll(List.of("-jar", this.jar, "--port", String.valueOf(port(node)), "--node", name, "--peers",
				this.peers, "--data-directory", directory().resolve("data-" + name).toString(), "--node-cert",
				keys.resolve("node-" + name + ".pem").toString(), "--node-key",
				keys.resolve("node-" + name + "-key.pem").toString(), "--node-ca", keys.resolve("ca.pem").toString(),
				"--ready-port", String.valueOf(this.healthPorts.get(node))));
		if (first) {
			command.add("--new-cluster");
		}
		return command;
	}

	@Override
	boolean serves(int node) throws InterruptedException {
		return !response(request(this.healthPorts.get(node), "/readyz")).isEmpty();
	}

	@Override
	boolean leads(int node) throws InterruptedException {
		return !response(request(this.healthPorts.get(node), "/leaderz")).isEmpty();
	}

	@Override
	Caller connect(List<Integer> ports, Operation operation, int keys) {
		return KeyCallers.ours(ports, operation, keys);
	}

}
