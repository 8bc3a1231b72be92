package io.statestore.broker.standalone;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/** The exit code of a standalone process. */
final class StandaloneExit {

	/** An error stopped the server, which a supervisor such as systemd can restart. */
	private static final int FAILED = 3;

	/** Time to stop after an error, with a heap that may be full. */
	private static final Duration DEADLINE = Duration.ofSeconds(10);

	private StandaloneExit() {
	}

	/**
	 * Waits until a server has stopped. After an error, the process is halted ten seconds
	 * later if it has not ended before.
	 * @param stopped completes when it has stopped, exceptionally after an error
	 * @param exitCode the exit code after a normal stop
	 * @return the exit code of the process
	 */
	static int await(CompletableFuture<Void> stopped, int exitCode) {
		return await(stopped, exitCode, DEADLINE, () -> Runtime.getRuntime().halt(FAILED));
	}

	static int await(CompletableFuture<Void> stopped, int exitCode, Duration deadline, Runnable halt) {
		// Started now: after an error there may be no memory for a thread.
		Thread watchdog = new Thread(() -> haltAfterError(stopped, deadline, halt), "statestore-watchdog");
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

	private static void haltAfterError(CompletableFuture<Void> stopped, Duration deadline, Runnable halt) {
		try {
			stopped.join();
		}
		catch (CompletionException ex) {
			long start = System.nanoTime();
			long left = deadline.toNanos();
			while (left > 0) {
				LockSupport.parkNanos(left);
				left = deadline.toNanos() - (System.nanoTime() - start);
			}
			halt.run();
		}
	}

}
