package io.statestore.client.lock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

/** Waits of threads for the futures of locks. */
final class Futures {

	private Futures() {
	}

	/**
	 * Waits for a future. An interrupt does not end the wait; the thread is interrupted
	 * again afterward.
	 * @param time time by which the thread waits
	 * @return the result of the future
	 * @throws RuntimeException that the future failed with
	 */
	static <T extends @Nullable Object> T awaitUninterruptibly(CompletableFuture<T> future, LockTime time) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return await(future, time);
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

	/**
	 * Waits for a future.
	 * @param time time by which the thread waits
	 * @return the result of the future
	 * @throws InterruptedException if the thread is interrupted while waiting
	 * @throws RuntimeException that the future failed with
	 */
	static <T extends @Nullable Object> T await(CompletableFuture<T> future, LockTime time)
			throws InterruptedException {
		try {
			return time.source().get(future, null);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException failure) {
				// Created for this caller alone, on a thread that it does not know.
				failure.fillInStackTrace();
				throw failure;
			}
			throw new IllegalStateException("A lock failed unexpectedly", ex.getCause());
		}
		catch (TimeoutException ex) {
			throw new IllegalStateException("A wait without limit ended", ex);
		}
	}

}
