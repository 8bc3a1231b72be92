package io.statestore.client.observation;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Timing of retries and renewals.
 *
 * @param random random numbers from 0 to 1, which spread the requests of many keys
 */
record Pace(Timer timer, ObservationOptions options, DoubleSupplier random) {

	private static final int MAX_DOUBLINGS = 30;

	/** Between half of the delay and all of it. */
	Duration retryDelay(int failures) {
		double delay = Math.min(
				this.options.retryInitialDelay().toMillis() * (double) (1L << Math.min(failures - 1, MAX_DOUBLINGS)),
				this.options.retryMaxDelay().toMillis());
		return Duration.ofMillis(Math.max(1, (long) (delay * (1 + this.random.getAsDouble()) / 2)));
	}

	/** Give or take a tenth. */
	Duration renewalDelay() {
		return Duration.ofMillis((long) (this.options.renewal().toMillis() * (0.9 + 0.2 * this.random.getAsDouble())));
	}

	/** Runs something later, not exactly then. */
	@FunctionalInterface
	interface Timer {

		/**
		 * Run a task that does not block.
		 * @return cancels it
		 */
		Runnable schedule(Duration delay, Runnable task);

	}

}
