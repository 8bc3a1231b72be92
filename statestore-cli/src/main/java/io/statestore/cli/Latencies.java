package io.statestore.cli;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Histogram of durations in nanoseconds. Buckets grow with the durations, so a percentile
 * may be up to 3% too high. Thread-safe.
 */
final class Latencies {

	/**
	 * Number of low-order float bits that do not select the bucket. Exponent and five
	 * mantissa bits do.
	 */
	private static final int SHIFT = 18;

	private final AtomicLongArray buckets = new AtomicLongArray((Float.floatToIntBits(Long.MAX_VALUE) >>> SHIFT) + 1);

	private final AtomicLong max = new AtomicLong();

	/** Adds a duration. */
	void add(long nanos) {
		this.buckets.incrementAndGet(Float.floatToIntBits(Math.max(0, nanos)) >>> SHIFT);
		this.max.accumulateAndGet(nanos, Math::max);
	}

	long count() {
		long count = 0;
		for (int i = 0; i < this.buckets.length(); i++) {
			count += this.buckets.get(i);
		}
		return count;
	}

	long max() {
		return this.max.get();
	}

	/**
	 * Returns the duration that a given fraction of all durations does not exceed; 0 if
	 * there are none.
	 * @param part fraction, from 0 to 1
	 */
	long percentile(double part) {
		long rank = (long) Math.ceil(part * count());
		long count = 0;
		for (int i = 0; i < this.buckets.length(); i++) {
			count += this.buckets.get(i);
			if (count >= rank && count > 0) {
				return Math.min((long) Float.intBitsToFloat((i + 1) << SHIFT), this.max.get());
			}
		}
		return 0;
	}

	/** Returns a duration in milliseconds with three decimal places. */
	static double millis(long nanos) {
		return Math.round(nanos / 1000.0) / 1000.0;
	}

}
