package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Three nodes of our standalone broker, started from its executable JAR. */
final class StateStoreNodes extends ThreeNodes {

	static final Kind KIND = new Kind("ours", (directory) -> new StateStoreNodes(directory, executable()));

	private static final Path BUILD = Path.of("statestore-server/target");

	private final String jar;

	private final List<Integer> healthPorts = freePorts();

	private final String peers;

	/**
	 * Creates nodes that do not run.
	 * @param jar the executable JAR file of their build
	 */
	StateStoreNodes(Path directory, String jar) throws IOException, InterruptedException {
		super(directory);
		this.jar = jar;
		List<Integer> peerPorts = freePorts();
		this.peers = join((node) -> name(node) + "=localhost:" + peerPorts.get(node));
		List<String> command = List.of(ServerProcess.java(), "-jar", jar, "certs", "--directory", path("certs"),
				"--node", name(0) + "=localhost", name(1) + "=localhost", name(2) + "=localhost");
		if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
			throw new IOException("Cannot create certificates for the nodes");
		}
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

	private static String name(int node) {
		return "abc".substring(node, node + 1);
	}

	private String path(String name) {
		return this.directory.resolve(name).toString();
	}

	@Override
	List<String> command(int node, boolean first) {
		String name = name(node);
		List<String> command = new ArrayList<>(
				List.of(ServerProcess.java(), "-Xmx1g", "-jar", this.jar, "--port", String.valueOf(port(node)),
						"--node", name, "--peers", this.peers, "--data-directory", path("data-" + name), "--node-cert",
						path("certs/node-" + name + ".pem"), "--node-key", path("certs/node-" + name + "-key.pem"),
						"--node-ca", path("certs/ca.pem"), "--ready-port", String.valueOf(this.healthPorts.get(node))));
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
	Caller connect(List<Integer> ports, Calls calls) {
		return calls.ours(Client.options(ports.get(0))
			.hosts(ports.stream().map((port) -> "127.0.0.1:" + port).toList())
			.transport(Client.FAST));
	}

}
