package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.statestore.client.ClientResources;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/** Clock, timer, and random number source for locks. Tests can replace it. */
interface LockTime {

	/**
	 * Returns monotonic time in nanoseconds. Only differences are meaningful; wall clock
	 * changes do not affect them.
	 */
	long nanoTime();

	/**
	 * Runs a task once the delay has passed.
	 * @param task must not block
	 * @return a function that cancels the task
	 */
	Runnable schedule(Duration delay, Runnable task);

	/** Returns the time source for waiting threads. */
	default TimeSource source() {
		return TimeSource.SYSTEM;
	}

	/** Returns a random number, at least 0 and less than 1. */
	double random();

	/**
	 * Waits for a future.
	 * @param interruptible whether an interrupt ends the wait; otherwise, the thread's
	 * interrupt flag is set again afterward
	 * @return the future's result
	 * @throws RuntimeException the exception that the future failed with
	 */
	default <T extends @Nullable Object> T await(CompletableFuture<T> future, boolean interruptible)
			throws InterruptedException {
		try {
			return interruptible ? source().get(future, null) : source().join(future);
		}
		catch (ExecutionException ex) {
			throw failure(ex);
		}
		catch (TimeoutException ex) {
			throw new IllegalStateException("A wait without limit ended", ex);
		}
	}

	/** Waits for a future. An interrupt does not end the wait. */
	default <T extends @Nullable Object> T awaitUninterruptibly(CompletableFuture<T> future) {
		return uninterruptibly(() -> await(future, false));
	}

	/**
	 * Runs a wait that does not throw {@link InterruptedException}, although it declares
	 * it.
	 */
	static <T extends @Nullable Object> T uninterruptibly(Wait<T> wait) {
		try {
			return wait.run();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("An interrupt ended a wait that ignores interrupts", ex);
		}
	}

	private static RuntimeException failure(ExecutionException ex) {
		if (ex.getCause() instanceof RuntimeException failure) {
			// This exception was created for this caller, on a thread unknown to the
			// caller.
			failure.fillInStackTrace();
			return failure;
		}
		return new IllegalStateException("A lock failed unexpectedly", ex.getCause());
	}

	/** Returns a client's clock and timer, with the system's random numbers. */
	static LockTime of(ClientResources resources) {
		return new LockTime() {

			@Override
			public long nanoTime() {
				return resources.time().nanoTime();
			}

			@Override
			public Runnable schedule(Duration delay, Runnable task) {
				ScheduledFuture<?> future = resources.timer().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
				return () -> future.cancel(false);
			}

			@Override
			public TimeSource source() {
				return resources.time();
			}

			@Override
			public double random() {
				return ThreadLocalRandom.current().nextDouble();
			}

		};
	}

	/** Code that blocks the calling thread until a condition holds. */
	@FunctionalInterface
	interface Wait<T extends @Nullable Object> {

		T run() throws InterruptedException;

	}

}
