package io.statestore.client.lock;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;

import io.statestore.test.FaultProxy;
import io.statestore.test.JavaProcess;
import org.awaitility.Awaitility;

import static org.awaitility.Awaitility.await;

/** A {@link LockWorker} in a separate JVM, behind a separate fault proxy. */
final class WorkerProcess implements AutoCloseable {

	/** Reports of one word that the test has not taken yet. */
	private final Queue<String> signs = new ConcurrentLinkedQueue<>();

	private final String name;

	private final FaultProxy network;

	private final JavaProcess process;

	/**
	 * Starts the worker, without waiting until it is ready.
	 * @param reports receives the name of the worker and each of its reports, on another
	 * thread
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
	void send(String command) {
		this.process.write(command);
	}

	/** Waits for a report of one word, and removes it with all earlier ones. */
	WorkerProcess await(String sign) {
		Awaitility.await(sign + " from worker " + this.name).atMost(JavaProcess.TIMEOUT).until(() -> take(sign));
		return this;
	}

	/**
	 * Takes a report of one word with all earlier ones, and returns whether it is there.
	 */
	boolean take(String sign) {
		if (!this.signs.contains(sign)) {
			return false;
		}
		while (!sign.equals(this.signs.remove())) {
			// Removes earlier reports.
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

	/** Returns the output of the worker other than its reports. */
	String errors() {
		return this.process.errors();
	}

	@Override
	public void close() {
		this.process.close();
		this.network.close();
	}

}
