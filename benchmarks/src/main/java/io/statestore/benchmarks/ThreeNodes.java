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

/** Three processes on this machine that form one store, which writes to disk. */
abstract class ThreeNodes implements AutoCloseable {

	static final int COUNT = 3;

	private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

	/** etcd does not answer a request to upgrade to HTTP/2. */
	private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final Path directory;

	private final List<Integer> ports = freePorts();

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

	/** Starts a killed node again, and waits until it serves. */
	final void restart(int node) throws IOException, InterruptedException {
		this.processes.set(node, launch(node, false));
		awaitAll();
	}

	private void awaitAll() throws IOException, InterruptedException {
		long start = System.nanoTime();
		for (int node = 0; node < COUNT; node++) {
			while (!serves(node)) {
				if (System.nanoTime() - start > START_TIMEOUT.toNanos()) {
					throw new IOException("Node " + node + " does not serve. See " + this.directory);
				}
				Thread.sleep(10);
			}
		}
	}

	/** Returns the number of the node that leads. Waits while there is none. */
	final int leader() throws IOException, InterruptedException {
		long start = System.nanoTime();
		while (System.nanoTime() - start < START_TIMEOUT.toNanos()) {
			for (int node = 0; node < COUNT; node++) {
				if (leads(node)) {
					return node;
				}
			}
			Thread.sleep(10);
		}
		throw new IOException("No node leads. See " + this.directory);
	}

	/** Returns the processor time that all nodes have used, in microseconds. */
	final double processorMicros() {
		return this.processes.stream().mapToLong((process) -> process.processorTime().toNanos()).sum() / 1_000.0;
	}

	/** Returns the port for clients of a node. */
	final int port(int node) {
		return this.ports.get(node);
	}

	final List<Integer> ports() {
		return this.ports;
	}

	final Path directory() {
		return this.directory;
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

	/** Connects a caller to some nodes. It uses keys in turn. */
	abstract Caller connect(List<Integer> ports, Operation operation, int keys);

	@Override
	public final void close() throws InterruptedException {
		for (ServerProcess process : this.processes) {
			process.close();
		}
	}

}
