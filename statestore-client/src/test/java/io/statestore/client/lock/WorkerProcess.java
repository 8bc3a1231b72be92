package io.statestore.client.lock;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;

import io.statestore.test.FaultProxy;
import io.statestore.test.JavaProcess;
import org.awaitility.Awaitility;

import static org.awaitility.Awaitility.await;

/** A {@link LockWorker} in a JVM of its own, behind a network of its own. */
final class WorkerProcess implements AutoCloseable {

	/** Reports of one word that no test has waited for. */
	private final Queue<String> signs = new ConcurrentLinkedQueue<>();

	private final String name;

	private final FaultProxy network;

	private final JavaProcess process;

	/**
	 * Starts the worker, without waiting until it is ready.
	 * @param reports receives the name of the worker and each of its reports, on a thread
	 * of its own
	 */
	WorkerProcess(String name, int port, Duration lease, BiConsumer<String, String> reports) {
		this.name = name;
		this.network = new FaultProxy(port);
		this.process = JavaProcess.of(LockWorker.class)
			.options("-Xmx64m", "-XX:+UseSerialGC")
			.arguments(name, this.network.port(), lease.toMillis())
			.onLine((line) -> {
				if (line.indexOf(' ') < 0) {
					this.signs.add(line);
				}
				else {
					reports.accept(name, line);
				}
			})
			.start();
	}

	String name() {
		return this.name;
	}

	FaultProxy network() {
		return this.network;
	}

	/** Sends a command, which the worker executes after the commands before it. */
	void tell(String command) {
		this.process.write(command);
	}

	/** Waits for a report of one word, and removes it and those before it. */
	WorkerProcess await(String sign) {
		Awaitility.await(sign + " from worker " + this.name).atMost(JavaProcess.TIMEOUT).until(() -> has(sign));
		return this;
	}

	/** Returns whether it has reported a word. If so, removes it and those before it. */
	boolean has(String sign) {
		if (!this.signs.contains(sign)) {
			return false;
		}
		while (!sign.equals(this.signs.remove())) {
			// Reported before it.
		}
		return true;
	}

	void pause() {
		this.process.pause();
	}

	void resume() {
		this.process.resume();
	}

	/** Kills the process and waits until all its reports are read. */
	void kill() {
		this.process.kill();
		this.network.close();
	}

	/** Waits for the end of the process and returns its exit code. */
	int awaitEnd() {
		try {
			return this.process.awaitExit();
		}
		finally {
			this.network.close();
		}
	}

	/** Returns what the worker wrote beside its reports. */
	String errors() {
		return this.process.errors();
	}

	@Override
	public void close() {
		this.process.close();
		this.network.close();
	}

}
