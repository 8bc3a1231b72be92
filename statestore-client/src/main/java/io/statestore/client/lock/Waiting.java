package io.statestore.client.lock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import org.jspecify.annotations.Nullable;

/** Blocks a thread until a lock has something to say. */
final class Waiting {

	private Waiting() {
	}

	/** An interrupt does not end the wait; the thread still has it afterwards. */
	static <T extends @Nullable Object> T uninterruptibly(CompletableFuture<T> future) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return interruptibly(future);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	static <T extends @Nullable Object> T interruptibly(CompletableFuture<T> future) throws InterruptedException {
		try {
			return future.get();
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException failure) {
				// Made on a thread of which the caller knows nothing, for this caller
				// alone.
				failure.fillInStackTrace();
				throw failure;
			}
			throw new IllegalStateException("A lock failed unexpectedly", ex.getCause());
		}
	}

}
