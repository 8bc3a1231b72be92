package io.statestore.client.leader;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.statestore.time.TimeSource;

/** Blocking waits for the threads of elections. */
final class Waits {

	private Waits() {
	}

	/**
	 * Waits for a future that does not fail. An interrupt does not end the wait; the
	 * thread is interrupted again afterward.
	 * @return the result of the future
	 */
	static <T> T join(CompletableFuture<T> future, TimeSource time) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return time.get(future, null);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				catch (ExecutionException | TimeoutException ex) {
					throw new IllegalStateException("A term ended unexpectedly", ex);
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
