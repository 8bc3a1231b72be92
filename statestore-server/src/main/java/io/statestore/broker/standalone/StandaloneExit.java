package io.statestore.broker.standalone;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Determines the process's exit code. */
final class StandaloneExit {

	/**
	 * Exit code after an error. It lets a supervisor such as systemd restart the process.
	 */
	static final int FAILED = 3;

	/**
	 * How long to wait for a clean exit after an error, when the heap may be full, before
	 * halting the JVM.
	 */
	static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

	private StandaloneExit() {
	}

	/**
	 * Waits until a server has stopped. After an error, halts the JVM if the process has
	 * not ended within ten seconds.
	 * @param stopped completes when the server has stopped, exceptionally after an error
	 * @param exitCode the exit code after a normal stop
	 * @return the exit code for the process
	 */
	static int await(CompletableFuture<Void> stopped, int exitCode) {
		return await(stopped, exitCode, System::nanoTime, () -> Runtime.getRuntime().halt(FAILED));
	}

	static int await(CompletableFuture<Void> stopped, int exitCode, LongSupplier nanoTime, Runnable halt) {
		// Start this thread now, because there might not be enough memory for it after an
		// error.
		Thread watchdog = new Thread(() -> haltAfterError(stopped, nanoTime, halt), "statestore-watchdog");
		watchdog.setDaemon(true);
		watchdog.start();
		try {
			stopped.join();
			return exitCode;
		}
		catch (CompletionException ex) {
			return FAILED;
		}
	}

	private static void haltAfterError(CompletableFuture<Void> stopped, LongSupplier nanoTime, Runnable halt) {
		try {
			stopped.join();
		}
		catch (CompletionException ex) {
			long start = nanoTime.getAsLong();
			while (nanoTime.getAsLong() - start < TIMEOUT.toNanos()) {
				LockSupport.parkNanos(POLL_INTERVAL.toNanos());
			}
			halt.run();
		}
	}

}
