package io.statestore.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Three processes on this machine that form one store, which writes to disk. */
final class ThreeNodes implements AutoCloseable {

	static final int COUNT = 3;

	/** Members of etcd, which trust each other without TLS. */
	static final Kind ETCD = new Kind(
			Server.etcd("jetcd on etcd",
					"0=http://127.0.0.1:{peer0},1=http://127.0.0.1:{peer1},2=http://127.0.0.1:{peer2}"),
			List.of("--initial-cluster-state", "new"), List.of("--initial-cluster-state", "existing"),
			new Status("port", "/health", "", "true"),
			new Status("port", "/v3/maintenance/status", "{}", "\"member_id\":\"(\\d+)\".*\"leader\":\"\\1\""));

	private static final Duration TIMEOUT = Duration.ofMinutes(3);

	/** etcd does not answer a request to upgrade to HTTP/2. */
	private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final Kind kind;

	private final Path directory;

	/** Ports of all nodes by name and number, such as "peer0". */
	private final Map<String, Integer> ports = new HashMap<>();

	private final List<ServerProcess> processes = new ArrayList<>();

	/** Starts all nodes for the first time, and waits until they serve. */
	ThreeNodes(Kind kind, Path directory) throws IOException, InterruptedException {
		this.kind = kind;
		this.directory = directory;
		for (int node = 0; node < COUNT; node++) {
			for (String name : List.of("port", "peer", "health")) {
				this.ports.put(name + node, ServerProcess.freePort());
			}
		}
		for (int node = 0; node < COUNT; node++) {
			this.processes.add(launch(node, kind.first()));
		}
		awaitAll();
	}

	/** Returns three nodes of our standalone broker, which use mutual TLS. */
	static Kind ours(String name, String jar, Certificates certificates, String... options) {
		List<String> more = List.of(options);
		return new Kind(
				Server.packaged(name, jar, "--node", "{node}", "--peers",
						"0=localhost:{peer0},1=localhost:{peer1},2=localhost:{peer2}", "--data-directory", Server.DATA,
						"--node-cert", certificates.certificate("node").toString(), "--node-key",
						certificates.key("node").toString(), "--node-ca", certificates.certificate("ca").toString(),
						"--ready-port", "{health}"),
				Stream.concat(Stream.of("--new-cluster"), more.stream()).toList(), more,
				new Status("health", "/readyz", "", "."), new Status("health", "/leaderz", "", "."));
	}

	private ServerProcess launch(int node, List<String> more) throws IOException {
		Map<String, Object> values = new HashMap<>(this.ports);
		values.put("node", node);
		values.put("peer", port("peer", node));
		values.put("health", port("health", node));
		return this.kind.server().launch(this.directory.resolve(String.valueOf(node)), port(node), more, values);
	}

	/** Kills a node, as {@code kill -9} does. */
	void kill(int node) throws InterruptedException {
		this.processes.get(node).kill();
	}

	/** Starts a killed node again, and waits until all serve. */
	void restart(int node) throws IOException, InterruptedException {
		this.processes.set(node, launch(node, this.kind.later()));
		awaitAll();
	}

	private void awaitAll() throws IOException, InterruptedException {
		for (int node = 0; node < COUNT; node++) {
			await(this.kind.serves(), List.of(node));
		}
	}

	/** Returns the number of the node that leads. Waits while there is none. */
	int leader() throws IOException, InterruptedException {
		return await(this.kind.leads(), List.of(0, 1, 2));
	}

	/** Waits until one of some nodes has a status, and returns its number. */
	private int await(Status status, List<Integer> nodes) throws IOException, InterruptedException {
		long start = System.nanoTime();
		while (System.nanoTime() - start < TIMEOUT.toNanos()) {
			for (int node : nodes) {
				if (status.holds(port(status.port(), node))) {
					return node;
				}
			}
			Thread.sleep(10);
		}
		throw new IOException("No " + status + " of nodes " + nodes + ". See " + this.directory);
	}

	/** Returns the processor time that all nodes have used, in microseconds. */
	double processorMicros() {
		return this.processes.stream()
			.mapToDouble((node) -> node.process().info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1000.0)
			.sum();
	}

	/** Returns the port for clients of a node. */
	int port(int node) {
		return port("port", node);
	}

	private int port(String name, int node) {
		return Objects.requireNonNull(this.ports.get(name + node));
	}

	/** Connects a caller to some nodes. */
	Caller connect(Calls calls, Integer... nodes) throws Exception {
		return this.kind.server().client().connect(calls, Stream.of(nodes).map(this::port).toList());
	}

	@Override
	public void close() throws InterruptedException {
		for (ServerProcess process : this.processes) {
			process.close();
		}
	}

	/**
	 * A store of three nodes.
	 *
	 * @param server each node
	 * @param first arguments of the first start
	 * @param later arguments of each later start
	 * @param serves status of a node that serves
	 * @param leads status of the leader
	 */
	record Kind(Server server, List<String> first, List<String> later, Status serves, Status leads) {

		String name() {
			return this.server.name();
		}

	}

	/**
	 * A request by HTTP, and the body of the response that shows a status.
	 *
	 * @param port name of the port
	 * @param path path of the request
	 * @param post body of the request, empty for GET
	 * @param expected regular expression that the body of the response contains
	 */
	private record Status(String port, String path, String post, String expected) {

		/** Returns whether a node has this status. Without a connection, it has not. */
		boolean holds(int port) throws InterruptedException {
			HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + this.path))
				.timeout(Duration.ofSeconds(1))
				.method(this.post.isEmpty() ? "GET" : "POST", BodyPublishers.ofString(this.post))
				.build();
			try {
				HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
				return response.statusCode() == 200 && Pattern.compile(this.expected).matcher(response.body()).find();
			}
			catch (IOException ex) {
				return false;
			}
		}

	}

}
