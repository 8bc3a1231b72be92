package io.statestore.broker.standalone;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.log.StoreDirectory;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.cluster.NodeBackup;
import io.statestore.test.FreePorts;
import io.statestore.test.JavaProcess;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** Nodes of one cluster, each in a process of its own, started as users do. */
public final class ClusterProcesses implements AutoCloseable {

	private final Path directory;

	private final Map<String, Ports> ports = new TreeMap<>();

	private final Map<String, JavaProcess> running = new TreeMap<>();

	/** Class path of another build, which starts nodes, empty for the current one. */
	private List<Path> classPath = List.of();

	/** Ports of a node, which it keeps when it starts again. */
	private record Ports(int peers, int clients, int health) {

		static Ports unused() {
			return new Ports(FreePorts.next(), FreePorts.next(), FreePorts.next());
		}

	}

	/** Creates certificates for the nodes, and chooses their ports. */
	public ClusterProcesses(Path directory, List<String> names) {
		this.directory = directory;
		names.forEach((name) -> this.ports.put(name, Ports.unused()));
		Stream<String> command = Stream.of("certs", "--directory", file("certs"), "--node");
		Stream<String> nodes = names.stream().map((name) -> name + "=localhost");
		assertThat(
				new CommandLine(StandaloneBroker.class).execute(Stream.concat(command, nodes).toArray(String[]::new)))
			.isZero();
	}

	private String file(String name) {
		return this.directory.resolve(name).toString();
	}

	/** Lets another build start nodes, or the current one if its class path is empty. */
	void use(List<Path> classPath) {
		this.classPath = classPath;
	}

	/** Starts all nodes, and waits until clients can connect to each. */
	public void startAll(String... more) {
		this.ports.keySet().forEach((name) -> start(name, more));
		awaitReady();
	}

	/** Starts a node without waiting for anything. */
	public void start(String name, String... more) {
		Ports own = ports(name);
		String peers = this.ports.entrySet()
			.stream()
			.map((peer) -> peer.getKey() + "=localhost:" + peer.getValue().peers())
			.collect(Collectors.joining(","));
		List<String> arguments = new ArrayList<>(
				List.of("-Xmx256m", "--port", "" + own.clients(), "--node", name, "--peers", peers,
						this.classPath.isEmpty() ? "--data-directory" : "--data", file("data-" + name), "--node-cert",
						file("certs/node-" + name + ".pem"), "--node-key", file("certs/node-" + name + "-key.pem"),
						"--node-ca", file("certs/ca.pem"), "--ready-port", "" + own.health()));
		arguments.addAll(List.of(more));
		String[] all = arguments.toArray(String[]::new);
		this.running.put(name, this.classPath.isEmpty() ? StandaloneProcess.launch(all)
				: StandaloneProcess.launch(this.classPath, all));
	}

	/** Kills a node by SIGKILL. */
	public void kill(String name) {
		remove(name).kill();
	}

	/** Stops a node as Ctrl+C does, and returns its exit code. */
	public int stop(String name) {
		JavaProcess process = remove(name);
		process.terminate();
		return process.awaitExit();
	}

	/**
	 * Stops a node, and starts a broker without a cluster with what the node has stored.
	 */
	StateStoreBroker save(String name) throws IOException {
		assertThat(stop(name)).isZero();
		Path backup = this.directory.resolve("backup-" + name);
		Path restored = this.directory.resolve("restored-" + name);
		NodeBackup.run(Path.of(file("data-" + name)), backup);
		StoreDirectory.restore(backup, restored, null);
		return StateStoreBroker.builder().port(0).storage(StorageOptions.in(restored)).start();
	}

	/**
	 * Waits for the end of a node that must stop by itself, and returns what it logged.
	 */
	String awaitEnd(String name) {
		JavaProcess process = remove(name);
		assertThat(process.awaitExit()).isNotZero();
		return process.output() + process.errors();
	}

	private JavaProcess remove(String name) {
		return Objects.requireNonNull(this.running.remove(name));
	}

	static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(10));
	}

	/** Returns the names of the nodes that run. */
	public List<String> names() {
		return List.copyOf(this.running.keySet());
	}

	/** Waits until clients can connect to each node that runs. */
	public void awaitReady() {
		this.running.keySet().forEach((name) -> awaitHealth(name, 200));
	}

	/** Waits until the health of a node is reported with a status. */
	void awaitHealth(String name, int status) {
		JavaProcess process = Objects.requireNonNull(this.running.get(name));
		await().until(() -> {
			assertThat(process.isAlive()).as(() -> process.output() + process.errors()).isTrue();
			return health(name, "/readyz") == status;
		});
	}

	/** Returns the status of the answer, or 0 if there is none. */
	private int health(String name, String path) {
		try {
			HttpURLConnection connection = (HttpURLConnection) URI
				.create("http://localhost:" + ports(name).health() + path)
				.toURL()
				.openConnection();
			try {
				return connection.getResponseCode();
			}
			finally {
				connection.disconnect();
			}
		}
		catch (IOException ex) {
			return 0;
		}
	}

	/** Waits until exactly one node leads, and returns its name. */
	public String leader() {
		return await()
			.until(() -> names().stream().filter((name) -> health(name, "/leaderz") == 200).toList(),
					(leaders) -> leaders.size() == 1)
			.get(0);
	}

	/** Returns the name of a node that runs, and follows. */
	public String follower() {
		String leader = leader();
		return names().stream().filter((name) -> !name.equals(leader)).findFirst().orElseThrow();
	}

	/** Returns host and port of all nodes, for clients. */
	List<String> hosts() {
		return this.ports.values().stream().map((ports) -> "localhost:" + ports.clients()).toList();
	}

	/** Returns the port of a node for clients. */
	public int port(String name) {
		return ports(name).clients();
	}

	/** Connects a client to one node. */
	StoreClient client(String name) {
		return StoreClient.connect(ports(name).clients(), "client-of-" + name);
	}

	/** Returns the port on which a node answers from its own copy of the store. */
	private Ports ports(String name) {
		return Objects.requireNonNull(this.ports.get(name));
	}

	/** Stops all nodes that run. */
	@Override
	public void close() {
		this.running.values().forEach(JavaProcess::terminate);
		this.running.values().forEach(JavaProcess::awaitExit);
	}

}
