package io.statestore.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.statestore.test.FreePorts;
import org.awaitility.Awaitility;

/** A running store: one server process, or three that form a cluster. */
final class Store implements AutoCloseable {

	static final int NODES = 3;

	private static final List<String> PORTS = List.of("port", "peer", "health");

	/** Uses HTTP/1.1, because etcd does not answer requests to upgrade to HTTP/2. */
	private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final Server server;

	private final Path directory;

	/** Ports of all nodes by port name and node number, such as "peer0". */
	private final Map<String, Integer> ports = new HashMap<>();

	private final Process[] processes;

	/**
	 * Starts all nodes with files in a directory and waits until they accept requests.
	 */
	Store(Server server, Path directory) throws IOException {
		this.server = server;
		this.directory = directory;
		this.processes = new Process[server.cluster().nodes()];
		for (int node = 0; node < this.processes.length; node++) {
			for (String name : PORTS) {
				this.ports.put(name + node, FreePorts.next());
			}
		}
		for (int node = 0; node < this.processes.length; node++) {
			launch(node, server.cluster().first());
		}
		for (int node = 0; node < this.processes.length; node++) {
			awaitStart(node);
		}
	}

	private void launch(int node, List<String> more) throws IOException {
		Path files = this.directory.resolve(String.valueOf(node));
		Files.createDirectories(files.resolve("data"));
		Map<String, Object> values = new HashMap<>(this.ports);
		PORTS.forEach((name) -> values.put(name, port(name, node)));
		values.putAll(Map.of("node", node, "directory", files));
		List<String> command = new ArrayList<>(List.of(String.valueOf(this.server.program())));
		Stream.concat(this.server.arguments().stream(), more.stream())
			.forEach((text) -> command.add(fill(text, values)));
		Files.writeString(files.resolve("configuration"), fill(this.server.configuration(), values));
		this.processes[node] = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(files.resolve("output.txt").toFile())
			.start();
	}

	private static String fill(String text, Map<String, Object> values) {
		String filled = text;
		for (Map.Entry<String, Object> value : values.entrySet()) {
			filled = filled.replace('{' + value.getKey() + '}', value.getValue().toString());
		}
		return filled;
	}

	private void awaitStart(int node) throws IOException {
		Process process = this.processes[node];
		await(() -> !process.isAlive() || holds(this.server.cluster().serves(), node));
		if (!process.isAlive()) {
			throw new IOException(this.server.name() + " has ended:\n" + output(node));
		}
	}

	/** Returns the leader's node number. Waits while there is no leader. */
	int leader() {
		int[] leader = { -1 };
		await(() -> {
			leader[0] = (leader[0] + 1) % this.processes.length;
			return holds(this.server.cluster().leads(), leader[0]);
		});
		return leader[0];
	}

	private void await(Callable<Boolean> condition) {
		Awaitility.await(this.server.name())
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(2))
			.atMost(Duration.ofMinutes(3))
			.until(condition);
	}

	/** Returns whether a node has a status; {@code false} if it cannot be reached. */
	private boolean holds(Status status, int node) throws InterruptedException {
		int port = port(status.port(), node);
		try {
			if (status.path().isEmpty()) {
				new Socket(InetAddress.getLoopbackAddress(), port).close();
				return true;
			}
			HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + status.path()))
				.timeout(Duration.ofSeconds(1))
				.method(status.post().isEmpty() ? "GET" : "POST", BodyPublishers.ofString(status.post()))
				.build();
			HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
			return response.statusCode() == 200 && Pattern.compile(status.expected()).matcher(response.body()).find();
		}
		catch (IOException ex) {
			return false;
		}
	}

	/** Kills a node, as {@code kill -9} does. */
	void kill(int node) throws InterruptedException {
		this.processes[node].destroyForcibly().waitFor();
	}

	/** Starts a killed node again and waits until it accepts requests. */
	void restart(int node) throws IOException {
		launch(node, this.server.cluster().later());
		awaitStart(node);
	}

	/** Returns the processor time used by all nodes, in microseconds. */
	double processorMicros() {
		return Stream.of(this.processes)
			.mapToDouble((node) -> node.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1000.0)
			.sum();
	}

	/** Returns the output of a node. */
	String output(int node) throws IOException {
		return Files.readString(this.directory.resolve(node + "/output.txt"));
	}

	/** Returns a node's port for clients. */
	int port(int node) {
		return port("port", node);
	}

	private int port(String name, int node) {
		return Objects.requireNonNull(this.ports.get(name + node));
	}

	/** Connects a caller to some nodes. */
	Caller connect(Calls calls, Integer... nodes) {
		return this.server.client().apply(calls, Stream.of(nodes).map(this::port).toList());
	}

	@Override
	public void close() throws InterruptedException {
		for (int node = 0; node < this.processes.length; node++) {
			kill(node);
		}
	}

	/**
	 * How server processes form one store.
	 *
	 * @param nodes number of nodes
	 * @param first additional arguments for the first start
	 * @param later additional arguments for each later start
	 * @param serves status of a node that accepts requests
	 * @param leads status of the leader
	 */
	record Cluster(int nodes, List<String> first, List<String> later, Status serves, Status leads) {

		/** A single process that accepts requests as soon as it listens. */
		static final Cluster NONE = new Cluster(1, List.of(), List.of(), Status.LISTENING, Status.LISTENING);

	}

	/**
	 * An HTTP request and the response body that shows a status.
	 *
	 * @param port port name
	 * @param path path of the request; empty if an open port is sufficient
	 * @param post body of the request; empty for GET
	 * @param expected regular expression to find in the response body
	 */
	record Status(String port, String path, String post, String expected) {

		private static final Status LISTENING = new Status("port", "", "", "");

	}

}
