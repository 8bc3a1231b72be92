package io.statestore.client.lock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import org.jspecify.annotations.Nullable;

/** Blocks threads until a future of a lock completes. */
final class Waiting {

	private Waiting() {
	}

	/**
	 * Waits for a future. An interrupt does not end the wait; the thread is interrupted
	 * again afterwards.
	 */
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

	/** Waits for a future, and throws the exception that it fails with. */
	static <T extends @Nullable Object> T interruptibly(CompletableFuture<T> future) throws InterruptedException {
		try {
			return future.get();
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException failure) {
				// Created for this caller alone, on a thread that it does not know.
				failure.fillInStackTrace();
				throw failure;
			}
			throw new IllegalStateException("A lock failed unexpectedly", ex.getCause());
		}
	}

}
