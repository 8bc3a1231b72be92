package io.statestore.client.watch;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;

import io.statestore.client.ClientResources;
import io.statestore.time.TimeSource;

/**
 * Delays before retries and renewals, and the timer that schedules them. Random delays
 * spread the requests of many keys.
 *
 * @param random returns random numbers from 0 to 1
 * @param time time source for waiting threads
 */
record WatchTiming(Timer timer, WatchOptions options, DoubleSupplier random, TimeSource time) {

	private static final int MAX_DOUBLINGS = 30;

	/** Creates a timing whose threads wait by the system clock, for tests. */
	WatchTiming(Timer timer, WatchOptions options, DoubleSupplier random) {
		this(timer, options, random, TimeSource.SYSTEM);
	}

	/**
	 * Returns a client's timing. Tasks may call the application's listeners and
	 * executors, so the timer dispatches them to another executor.
	 */
	static WatchTiming of(WatchOptions options, ClientResources resources) {
		return new WatchTiming((delay, task) -> {
			Future<?> future = resources.timer()
				.schedule(() -> resources.replies().execute(task), delay.toMillis(), TimeUnit.MILLISECONDS);
			return () -> future.cancel(false);
		}, options, () -> ThreadLocalRandom.current().nextDouble(), resources.time());
	}

	/**
	 * Returns a timing that skips a task unless a condition holds when the task is due.
	 */
	WatchTiming withCondition(BooleanSupplier condition) {
		return new WatchTiming((delay, task) -> this.timer.schedule(delay, () -> {
			if (condition.getAsBoolean()) {
				task.run();
			}
		}), this.options, this.random, this.time);
	}

	/**
	 * Returns the delay before the next attempt: an exponential backoff, reduced by a
	 * random share of up to one half.
	 * @param failures number of consecutive failures, at least 1
	 */
	Duration retryDelay(int failures) {
		double delay = Math.min(
				this.options.retryInitialDelay().toMillis() * (double) (1L << Math.min(failures - 1, MAX_DOUBLINGS)),
				this.options.retryMaxDelay().toMillis());
		return Duration.ofMillis(Math.max(1, (long) (delay * (1 + this.random.getAsDouble()) / 2)));
	}

	/** Returns the delay until the next renewal: the configured interval, ±10%. */
	Duration renewalDelay() {
		return Duration.ofMillis((long) (this.options.renewal().toMillis() * (0.9 + 0.2 * this.random.getAsDouble())));
	}

	/** Runs tasks after a delay. */
	@FunctionalInterface
	interface Timer {

		/**
		 * Schedules a task that does not block.
		 * @param delay minimum delay
		 * @return a function that cancels the task
		 */
		Runnable schedule(Duration delay, Runnable task);

	}

}
