package io.statestore.broker.standalone;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/** Exit code of a standalone process. */
final class StandaloneExit {

	/** Exit code after an error. A supervisor such as systemd can restart the process. */
	private static final int FAILED = 3;

	/** Time to stop after an error, when the heap may be full. */
	private static final Duration DEADLINE = Duration.ofSeconds(10);

	private StandaloneExit() {
	}

	/**
	 * Waits until a server has stopped. After an error, halts the process if it has not
	 * ended within ten seconds.
	 * @param stopped completes when the server has stopped, exceptionally after an error
	 * @param exitCode the exit code after a normal stop
	 * @return the exit code of the process
	 */
	static int await(CompletableFuture<Void> stopped, int exitCode) {
		return await(stopped, exitCode, DEADLINE, () -> Runtime.getRuntime().halt(FAILED));
	}

	static int await(CompletableFuture<Void> stopped, int exitCode, Duration deadline, Runnable halt) {
		// Started now, because after an error there may be no memory for a thread.
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
