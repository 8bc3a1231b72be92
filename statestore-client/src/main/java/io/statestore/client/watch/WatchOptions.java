package io.statestore.client.watch;

import java.time.Duration;

import io.statestore.protocol.InvalidOptionException;

import org.springframework.util.unit.DataSize;

/**
 * Options for watches. Immutable.
 *
 * @param queueCapacity maximum number of a key's changes that wait for a listener; at
 * least 1, 256 by default. A change that exceeds it replaces all waiting changes
 * @param queueSize maximum total size of the waiting changes' values; at least 1 byte, 16
 * MB by default. A change that exceeds it replaces all waiting changes, so a single
 * change always fits
 * @param renewal interval at which each key is synchronized, because some servers drop
 * watches; 1 s to 365 days, 3 minutes by default, which is less than a third of a
 * gateway's lease. Varies by ±10%
 * @param retryInitialDelay delay after the first failed synchronization, which doubles
 * with every consecutive failure; 1 ms to 365 days, 1 s by default
 * @param retryMaxDelay maximum delay after a failure; {@code retryInitialDelay} to 365
 * days, 1 minute by default
 */
public record WatchOptions(int queueCapacity, DataSize queueSize, Duration renewal, Duration retryInitialDelay,
		Duration retryMaxDelay) {

	private static final Duration MAX = Duration.ofDays(365);

	/** Default options. */
	public static final WatchOptions DEFAULT = new WatchOptions(256, DataSize.ofMegabytes(16), Duration.ofMinutes(3),
			Duration.ofSeconds(1), Duration.ofMinutes(1));

	/**
	 * Creates options.
	 * @throws IllegalArgumentException if a value is out of range
	 */
	public WatchOptions {
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
	 * @param queueCapacity maximum number of a key's changes that wait for a listener, at
	 * least 1
	 * @return the copy
	 * @throws IllegalArgumentException if the value is out of range
	 */
	public WatchOptions withQueueCapacity(int queueCapacity) {
		return new WatchOptions(queueCapacity, this.queueSize, this.renewal, this.retryInitialDelay,
				this.retryMaxDelay);
	}

	/**
	 * Returns a copy with another maximum size of waiting changes.
	 * @param queueSize maximum total size of their values, at least 1 byte
	 * @return the copy
	 * @throws IllegalArgumentException if the value is out of range
	 */
	public WatchOptions withQueueSize(DataSize queueSize) {
		return new WatchOptions(this.queueCapacity, queueSize, this.renewal, this.retryInitialDelay,
				this.retryMaxDelay);
	}

	/**
	 * Returns a copy with another renewal interval.
	 * @param renewal interval at which each key is synchronized, 1 s to 365 days
	 * @return the copy
	 * @throws IllegalArgumentException if the value is out of range
	 */
	public WatchOptions withRenewal(Duration renewal) {
		return new WatchOptions(this.queueCapacity, this.queueSize, renewal, this.retryInitialDelay,
				this.retryMaxDelay);
	}

	/**
	 * Returns a copy with other delays after failures.
	 * @param initial delay after the first failure, 1 ms to 365 days
	 * @param max maximum delay, at least the initial delay, at most 365 days
	 * @return the copy
	 * @throws IllegalArgumentException if the value is out of range
	 */
	public WatchOptions withRetryDelay(Duration initial, Duration max) {
		return new WatchOptions(this.queueCapacity, this.queueSize, this.renewal, initial, max);
	}

	QueueLimit queueLimit() {
		return new QueueLimit(this.queueCapacity, this.queueSize.toBytes());
	}

}
