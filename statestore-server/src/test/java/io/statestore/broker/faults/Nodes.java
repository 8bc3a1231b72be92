package io.statestore.broker.faults;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

import io.statestore.broker.standalone.StandaloneBroker;
import org.awaitility.Awaitility;
import picocli.CommandLine;

/**
 * The nodes of a cluster, or a single broker without a cluster, each in its own process.
 */
final class Nodes implements AutoCloseable {

	private static final Duration READY_TIMEOUT = Duration.ofSeconds(90);

	private static final String DISK_SIZE = "400m";

	private static final Path LOGS = Path.of("target", "faults");

	private final Network network;

	private final List<Node> nodes = new ArrayList<>();

	private int ended;

	private Nodes(Network network) {
		this.network = network;
	}

	/** Starts a single broker that keeps its data. */
	static Nodes single(Path directory) throws Exception {
		Nodes nodes = new Nodes(new Network(List.of("a")));
		return nodes.start(directory, (name) -> List.of(), List.of());
	}

	/**
	 * Starts a new cluster.
	 * @param classes directories to place before the nodes' class path
	 */
	static Nodes cluster(Path directory, List<String> names, Path... classes) throws Exception {
		Nodes nodes = new Nodes(new Network(names));
		Path certs = directory.resolve("certs");
		List<String> command = new ArrayList<>(List.of("certs", "--directory", certs.toString(), "--node"));
		names.forEach((name) -> command.add(name + '=' + nodes.network.address(name)));
		if (new CommandLine(StandaloneBroker.class).execute(command.toArray(String[]::new)) != 0) {
			nodes.close();
			throw new IllegalStateException("No certificates for the nodes");
		}
		String peers = names.stream()
			.map((name) -> name + '=' + nodes.network.address(name) + ':' + Node.PEER_PORT)
			.collect(Collectors.joining(","));
		return nodes.start(directory, (name) -> List.of("--node", name, "--peers", peers, "--node-cert",
				certs.resolve("node-" + name + ".pem").toString(), "--node-key",
				certs.resolve("node-" + name + "-key.pem").toString(), "--node-ca", certs.resolve("ca.pem").toString(),
				"--ready-host", "0.0.0.0", "--ready-port", String.valueOf(Node.READY_PORT), "--administration", "all"),
				List.of(classes), "--new-cluster");
	}

	/** Provides a node's options. */
	private interface Arguments {

		List<String> of(String name);

	}

	private Nodes start(Path directory, Arguments arguments, List<Path> classes, String... first) throws Exception {
		try {
			Path library = Clocks.compile(directory);
			for (String name : this.network.nodes()) {
				Path home = Files.createDirectories(directory.resolve("node-" + name));
				Node node = new Node(name, this.network, new SmallDisk(home.resolve("disk"), DISK_SIZE),
						Clocks.of(library, home.resolve("clocks")), arguments.of(name), classes, LOGS);
				this.nodes.add(node);
				node.start(first);
			}
			awaitReady();
			return this;
		}
		catch (Exception | AssertionError ex) {
			close();
			throw ex;
		}
	}

	List<Node> all() {
		return this.nodes;
	}

	Network network() {
		return this.network;
	}

	boolean isCluster() {
		return this.nodes.size() > 1;
	}

	Node any(Random random) {
		return this.nodes.get(random.nextInt(this.nodes.size()));
	}

	/** Returns the leader, or any node if the leader is unknown. */
	Node leader(Random random) {
		Node other = any(random);
		return isCluster() ? this.nodes.stream().filter(Node::leads).findFirst().orElse(other) : other;
	}

	List<InetSocketAddress> addresses() {
		return this.nodes.stream().map(Node::address).toList();
	}

	void restartKilled() {
		this.nodes.stream().filter(Node::isKilled).forEach(Node::start);
	}

	/** Starts nodes whose processes have ended by themselves, like a supervisor. */
	private void restartEnded() {
		for (Node node : this.nodes) {
			if (!node.isAlive() && !node.isKilled()) {
				node.saveLog();
				System.err.println("Node " + node + " has ended by itself, and is started again");
				this.ended++;
				node.start();
			}
		}
	}

	/** Returns how many times a process has ended by itself. */
	int ended() {
		return this.ended;
	}

	/** Waits until clients can connect through every node. */
	void awaitReady() {
		Awaitility.await("all nodes accept clients")
			.atMost(READY_TIMEOUT)
			.pollInterval(Duration.ofMillis(50))
			.until(() -> {
				restartEnded();
				return this.nodes.stream().filter((node) -> !node.isKilled()).allMatch(Node::accepts);
			});
	}

	@Override
	public void close() throws IOException {
		this.nodes.forEach(Node::close);
		this.network.close();
	}

}
