package io.statestore.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Three processes on this machine that form one store, which writes to disk. */
abstract class ThreeNodes implements AutoCloseable {

	static final int COUNT = 3;

	private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

	/** etcd does not answer a request to upgrade to HTTP/2. */
	private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	final Path directory;

	final List<Integer> ports = freePorts();

	private final List<ServerProcess> processes = new ArrayList<>();

	private int starts;

	/**
	 * Creates nodes that do not run.
	 * @param directory directory of their data and of their output
	 */
	ThreeNodes(Path directory) throws IOException {
		this.directory = Files.createDirectories(directory);
	}

	/** Returns one free port for each node. */
	static List<Integer> freePorts() throws IOException {
		List<Integer> ports = new ArrayList<>();
		while (ports.size() < COUNT) {
			int port = ServerProcess.freePort();
			if (!ports.contains(port)) {
				ports.add(port);
			}
		}
		return ports;
	}

	/** Returns a description of all nodes, separated by commas. */
	static String join(IntFunction<String> node) {
		return IntStream.range(0, COUNT).mapToObj(node).collect(Collectors.joining(","));
	}

	/** Starts all nodes for the first time, and waits until they serve. */
	final void start() throws IOException, InterruptedException {
		for (int node = 0; node < COUNT; node++) {
			this.processes.add(launch(node, true));
		}
		awaitAll();
	}

	private ServerProcess launch(int node, boolean first) throws IOException {
		Path output = this.directory.resolve("output-" + node + '-' + this.starts++ + ".txt");
		return ServerProcess.launch(port(node), output, command(node, first));
	}

	/** Kills a node, as {@code kill -9} does. */
	final void kill(int node) throws InterruptedException {
		this.processes.get(node).kill();
	}

	/** Starts a killed node again, and waits until all serve. */
	final void restart(int node) throws IOException, InterruptedException {
		this.processes.set(node, launch(node, false));
		awaitAll();
	}

	private void awaitAll() throws IOException, InterruptedException {
		for (int node = 0; node < COUNT; node++) {
			int awaited = node;
			await(() -> serves(awaited));
		}
	}

	/** Returns the number of the node that leads. Waits while there is none. */
	final int leader() throws IOException, InterruptedException {
		int[] leader = new int[1];
		await(() -> {
			for (int node = 0; node < COUNT; node++) {
				if (leads(node)) {
					leader[0] = node;
					return true;
				}
			}
			return false;
		});
		return leader[0];
	}

	private void await(Condition condition) throws IOException, InterruptedException {
		long start = System.nanoTime();
		while (!condition.holds()) {
			if (System.nanoTime() - start > START_TIMEOUT.toNanos()) {
				throw new IOException("A node does not serve, or none leads. See " + this.directory);
			}
			Thread.sleep(10);
		}
	}

	/** Returns the processor time that all nodes have used, in microseconds. */
	final double processorMicros() {
		return this.processes.stream()
			.mapToDouble((node) -> node.process().info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1000.0)
			.sum();
	}

	/** Returns the port for clients of a node. */
	final int port(int node) {
		return this.ports.get(node);
	}

	/**
	 * Returns the body of a response with status 200, and an empty text otherwise, also
	 * without a connection.
	 */
	static String response(HttpRequest.Builder request) throws InterruptedException {
		try {
			HttpResponse<String> response = HTTP.send(request.timeout(Duration.ofSeconds(1)).build(),
					HttpResponse.BodyHandlers.ofString());
			return (response.statusCode() == 200) ? response.body() : "";
		}
		catch (IOException ex) {
			return "";
		}
	}

	static HttpRequest.Builder request(int port, String path) {
		return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
	}

	/**
	 * Returns the program and the arguments of a node.
	 * @param first whether the store is new
	 */
	abstract List<String> command(int node, boolean first) throws IOException;

	abstract boolean serves(int node) throws InterruptedException;

	abstract boolean leads(int node) throws InterruptedException;

	/** Connects a caller to some nodes. */
	abstract Caller connect(List<Integer> ports, Calls calls);

	@Override
	public final void close() throws InterruptedException {
		for (ServerProcess process : this.processes) {
			process.close();
		}
	}

	/**
	 * A store of three nodes.
	 *
	 * @param name name in the report
	 * @param factory creates nodes that do not run
	 */
	record Kind(String name, Factory factory) {

		ThreeNodes create(Path directory) throws Exception {
			return this.factory.create(directory);
		}

	}

	/** Creates nodes in a directory. */
	@FunctionalInterface
	interface Factory {

		ThreeNodes create(Path directory) throws Exception;

	}

	@FunctionalInterface
	private interface Condition {

		boolean holds() throws InterruptedException;

	}

}
