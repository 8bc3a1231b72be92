package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.gateway.StateStoreGateway;
import org.jspecify.annotations.Nullable;

/** Servers that implementations share. Each one is started on first use. */
final class Servers implements AutoCloseable {

	private final List<AutoCloseable> running = new ArrayList<>();

	private @Nullable StateStoreBroker embedded;

	private int standalone;

	private final Map<Path, Integer> packaged = new HashMap<>();

	private @Nullable Integer mosquitto;

	private @Nullable Integer redis;

	/** Returns the port of our broker in this process. */
	int embedded() {
		if (this.embedded == null) {
			this.embedded = StateStoreBroker.builder().start();
			this.running.add(this.embedded);
		}
		return this.embedded.port();
	}

	/** Returns the port of our broker in a process of its own. */
	int standalone() throws IOException {
		if (this.standalone == 0) {
			this.standalone = ServerProcess.freePort();
			start(this.standalone, ServerProcess.java(), "-Xmx512m", "-cp", System.getProperty("java.class.path"),
					"io.statestore.broker.standalone.StandaloneBroker", "--port", String.valueOf(this.standalone));
		}
		return this.standalone;
	}

	/**
	 * Returns the port of a packaged standalone broker, which runs in its own process.
	 */
	int packaged(Path jar) throws IOException {
		Integer running = this.packaged.get(jar);
		if (running == null) {
			running = ServerProcess.freePort();
			start(running, ServerProcess.java(), "-Xmx512m", "-jar", jar.toString(), "--port", String.valueOf(running));
			this.packaged.put(jar, running);
		}
		return running;
	}

	/** Returns the port of a packaged standalone broker that keeps its data on a disk. */
	int durable(String jar, Path directory) throws IOException {
		Integer running = this.packaged.get(directory);
		if (running == null) {
			running = ServerProcess.freePort();
			start(running, ServerProcess.java(), "-Xmx512m", "-jar", jar, "--port", String.valueOf(running),
					"--data-directory", directory.toString());
			this.packaged.put(directory, running);
		}
		return running;
	}

	/**
	 * Returns the port of Mosquitto, with our gateway in this process; empty if Mosquitto
	 * is not installed.
	 */
	OptionalInt mosquitto() throws IOException {
		if (this.mosquitto == null) {
			String binary = ServerProcess.find("mosquitto");
			if (binary == null) {
				return OptionalInt.empty();
			}
			int port = ServerProcess.freePort();
			Path configuration = Files.createTempFile("mosquitto", ".conf");
			Files.writeString(configuration,
					"listener " + port
							+ " 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nmax_inflight_messages 0\n"
							+ "max_queued_messages 0\n");
			start(port, binary, "-c", configuration.toString());
			this.running.add(StateStoreGateway.builder().host("127.0.0.1").port(port).start());
			this.mosquitto = port;
		}
		return OptionalInt.of(this.mosquitto);
	}

	/** Returns the port of Redis without persistence; empty if it is not installed. */
	OptionalInt redis() throws IOException {
		if (this.redis == null) {
			String binary = ServerProcess.find("redis-server");
			if (binary == null) {
				return OptionalInt.empty();
			}
			int port = ServerProcess.freePort();
			start(port, binary, "--port", String.valueOf(port), "--save", "", "--appendonly", "no", "--bind",
					"127.0.0.1");
			this.redis = port;
		}
		return OptionalInt.of(this.redis);
	}

	private void start(int port, String... command) throws IOException {
		try {
			this.running.add(ServerProcess.start(port, null, List.of(command)));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("Interrupted while waiting for " + command[0], ex);
		}
	}

	@Override
	public void close() throws Exception {
		for (int i = this.running.size() - 1; i >= 0; i--) {
			this.running.get(i).close();
		}
	}

}
