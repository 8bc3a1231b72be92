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

/** Nodes of a cluster, each in a separate process, started as users start them. */
public final class ClusterProcesses implements AutoCloseable {

	private final Path directory;

	private final Map<String, Ports> ports = new TreeMap<>();

	private final Map<String, JavaProcess> running = new TreeMap<>();

	/** Class path of another build to start nodes with, empty for the current build. */
	private List<Path> classPath = List.of();

	/** A node's ports, which it keeps when it restarts. */
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

	/**
	 * Sets the class path of another build to start nodes with, empty for the current
	 * build.
	 */
	void use(List<Path> classPath) {
		this.classPath = classPath;
	}

	/** Starts all nodes, and waits until clients can connect to each of them. */
	public void startAll(String... more) {
		this.ports.keySet().forEach((name) -> start(name, more));
		awaitReady();
	}

	/** Starts a node without waiting. */
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

	/** Kills a node with SIGKILL. */
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
	 * Stops a node, and starts a broker without a cluster with the node's data.
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

	/** Returns the names of the running nodes. */
	public List<String> names() {
		return List.copyOf(this.running.keySet());
	}

	/** Waits until clients can connect to each running node. */
	public void awaitReady() {
		this.running.keySet().forEach((name) -> awaitHealth(name, 200));
	}

	/** Waits until a node's health check returns the given status. */
	void awaitHealth(String name, int status) {
		JavaProcess process = Objects.requireNonNull(this.running.get(name));
		await().until(() -> {
			assertThat(process.isAlive()).as(() -> process.output() + process.errors()).isTrue();
			return health(name, "/readyz") == status;
		});
	}

	/** Returns the HTTP status of a health check, or 0 if there is no answer. */
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

	public String follower() {
		String leader = leader();
		return names().stream().filter((name) -> !name.equals(leader)).findFirst().orElseThrow();
	}

	/** Returns all nodes' hosts and client ports. */
	List<String> hosts() {
		return this.ports.values().stream().map((ports) -> "localhost:" + ports.clients()).toList();
	}

	public int port(String name) {
		return ports(name).clients();
	}

	/** Connects a client to one node. */
	StoreClient client(String name) {
		return StoreClient.connect(ports(name).clients(), "client-of-" + name);
	}

	private Ports ports(String name) {
		return Objects.requireNonNull(this.ports.get(name));
	}

	/** Stops all running nodes. */
	@Override
	public void close() {
		this.running.values().forEach(JavaProcess::terminate);
		this.running.values().forEach(JavaProcess::awaitExit);
	}

}
