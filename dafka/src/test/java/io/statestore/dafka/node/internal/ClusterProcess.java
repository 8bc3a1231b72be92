package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Pattern;

import io.statestore.test.AwaitilityDefaults;
import io.statestore.test.JavaProcess;

import static org.awaitility.Awaitility.await;

/** An {@link AttackedCluster} in a separate process with a small heap. */
final class ClusterProcess implements AutoCloseable {

	private static final String READY = "ready";

	private static final String SERVES = "serves";

	private final JavaProcess process;

	private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

	private final Map<String, Integer> ports = new HashMap<>();

	ClusterProcess() {
		this.process = JavaProcess.of(ClusterProcess.class).options("-Xmx256m").onLine(this.lines::add).start();
		this.process.await('^' + READY + '$');
		Pattern.compile("^(.+)=(\\d+)$", Pattern.MULTILINE)
			.matcher(this.process.output())
			.results()
			.forEach((port) -> this.ports.put(port.group(1), Integer.valueOf(port.group(2))));
	}

	Map<String, Integer> ports() {
		return this.ports;
	}

	/**
	 * Sends a record through all nodes and starts a new node. Fails if any node fails.
	 */
	void assertServes() {
		this.lines.clear();
		this.process.write("");
		await("answer of the nodes").atMost(JavaProcess.TIMEOUT)
			.until(() -> !this.lines.isEmpty() || !this.process.isAlive());
		String line = this.lines.poll();
		if (!SERVES.equals(line)) {
			throw new AssertionError("The nodes do not serve: " + line + '\n' + this.process.errors());
		}
	}

	@Override
	public void close() {
		this.process.close();
	}

	/** Runs in the separate process. */
	public static void main(String[] arguments) throws IOException {
		AwaitilityDefaults.apply();
		try (AttackedCluster cluster = new AttackedCluster()) {
			cluster.assertServes();
			cluster.ports().forEach((node, port) -> System.out.println(node + '=' + port));
			System.out.println(READY);
			while (System.in.read() >= 0) {
				cluster.assertServes();
				cluster.assertAcceptsNodes();
				System.out.println(SERVES);
			}
		}
		catch (Throwable ex) {
			System.out.println(ex);
			throw ex;
		}
	}

}
