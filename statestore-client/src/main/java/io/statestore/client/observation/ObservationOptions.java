package io.statestore.client.observation;

import java.time.Duration;

/**
 * How keys are observed. Immutable.
 *
 * @param queueCapacity how many changes may wait for one listener of one key before all
 * of them are dropped for the latest; 1 or more, 256 by default
 * @param renewal how often an observation is renewed and its key read again, for servers
 * that forget observations, give or take a tenth; at least 1 s, 3 minutes by default,
 * less than a third of the lease that our gateway gives
 * @param retryInitialDelay pause after the first failure to observe, 1 s by default; it
 * doubles with every failure
 * @param retryMaxDelay the longest such pause, 1 minute by default
 */
public record ObservationOptions(int queueCapacity, Duration renewal, Duration retryInitialDelay,
		Duration retryMaxDelay) {

	private static final Duration MAX = Duration.ofDays(365);

	/** All at their defaults. */
	public static final ObservationOptions DEFAULT = new ObservationOptions(256, Duration.ofMinutes(3),
			Duration.ofSeconds(1), Duration.ofMinutes(1));

	public ObservationOptions {
		if (queueCapacity < 1) {
			throw new IllegalArgumentException("'queueCapacity' must be at least 1, but is " + queueCapacity);
		}
		requireRange("renewal", renewal, Duration.ofSeconds(1), MAX);
		requireRange("retryInitialDelay", retryInitialDelay, Duration.ofMillis(1), MAX);
		requireRange("retryMaxDelay", retryMaxDelay, retryInitialDelay, MAX);
	}

	private static void requireRange(String name, Duration value, Duration min, Duration max) {
		if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
			throw new IllegalArgumentException("'" + name + "' must be " + min + " to " + max + ", but is " + value);
		}
	}

	/** With another capacity of queues. */
	public ObservationOptions withQueueCapacity(int queueCapacity) {
		return new ObservationOptions(queueCapacity, this.renewal, this.retryInitialDelay, this.retryMaxDelay);
	}

	/** With another interval of renewals. */
	public ObservationOptions withRenewal(Duration renewal) {
		return new ObservationOptions(this.queueCapacity, renewal, this.retryInitialDelay, this.retryMaxDelay);
	}

	/** With other pauses after failures. */
	public ObservationOptions withRetryDelay(Duration initial, Duration max) {
		return new ObservationOptions(this.queueCapacity, this.renewal, initial, max);
	}

}
