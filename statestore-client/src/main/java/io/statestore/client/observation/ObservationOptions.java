package io.statestore.client.observation;

import java.time.Duration;

import io.statestore.client.InvalidOptionException;

import org.springframework.util.unit.DataSize;

/**
 * Options of observations. Immutable.
 *
 * @param queueCapacity maximum number of changes that wait for one listener of one key; 1
 * or more, 256 by default. A change beyond it replaces all that wait
 * @param queueSize maximum size of their values, 16 MB by default. A change beyond it
 * replaces all that wait, so one change waits however large it is
 * @param renewal interval at which an observation is renewed and its key read again, for
 * servers that drop observations, give or take a tenth; at least 1 s, 3 minutes by
 * default, less than a third of the lease of our gateway
 * @param retryInitialDelay delay after the first failure to observe, 1 s by default; it
 * doubles with every failure
 * @param retryMaxDelay maximum delay after a failure, 1 minute by default
 */
public record ObservationOptions(int queueCapacity, DataSize queueSize, Duration renewal, Duration retryInitialDelay,
		Duration retryMaxDelay) {

	private static final Duration MAX = Duration.ofDays(365);

	/** Default options. */
	public static final ObservationOptions DEFAULT = new ObservationOptions(256, DataSize.ofMegabytes(16),
			Duration.ofMinutes(3), Duration.ofSeconds(1), Duration.ofMinutes(1));

	public ObservationOptions {
		if (queueCapacity < 1) {
			throw new InvalidOptionException("queueCapacity", queueCapacity, "must be at least 1");
		}
		if (queueSize.toBytes() < 1) {
			throw new InvalidOptionException("queueSize", queueSize, "must be at least 1B");
		}
		requireRange("renewal", renewal, Duration.ofSeconds(1), MAX);
		requireRange("retryInitialDelay", retryInitialDelay, Duration.ofMillis(1), MAX);
		requireRange("retryMaxDelay", retryMaxDelay, retryInitialDelay, MAX);
	}

	private static void requireRange(String name, Duration value, Duration min, Duration max) {
		if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
			throw new InvalidOptionException(name, value, "must be " + min + " to " + max);
		}
	}

	/**
	 * Returns a copy with another maximum number of waiting changes.
	 * @param queueCapacity 1 or more
	 * @return the copy
	 */
	public ObservationOptions withQueueCapacity(int queueCapacity) {
		return new ObservationOptions(queueCapacity, this.queueSize, this.renewal, this.retryInitialDelay,
				this.retryMaxDelay);
	}

	/**
	 * Returns a copy with another maximum size of waiting changes.
	 * @param queueSize 1 byte or more
	 * @return the copy
	 */
	public ObservationOptions withQueueSize(DataSize queueSize) {
		return new ObservationOptions(this.queueCapacity, queueSize, this.renewal, this.retryInitialDelay,
				this.retryMaxDelay);
	}

	/**
	 * Returns a copy with another interval of renewals.
	 * @param renewal at least 1 s
	 * @return the copy
	 */
	public ObservationOptions withRenewal(Duration renewal) {
		return new ObservationOptions(this.queueCapacity, this.queueSize, renewal, this.retryInitialDelay,
				this.retryMaxDelay);
	}

	/**
	 * Returns a copy with other delays after failures.
	 * @param initial delay after the first failure
	 * @param max maximum delay
	 * @return the copy
	 */
	public ObservationOptions withRetryDelay(Duration initial, Duration max) {
		return new ObservationOptions(this.queueCapacity, this.queueSize, this.renewal, initial, max);
	}

	QueueLimit queueLimit() {
		return new QueueLimit(this.queueCapacity, this.queueSize.toBytes());
	}

}
