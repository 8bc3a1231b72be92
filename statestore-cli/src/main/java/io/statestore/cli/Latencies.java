package io.statestore.cli;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Histogram of durations in nanoseconds. Its buckets grow with the durations, so that a
 * percentile is up to 3 % too high. Thread-safe.
 */
final class Latencies {

	/** Buckets for each power of two, as a power of two. */
	private static final int PRECISION = 5;

	private static final int SUB_BUCKETS = 1 << PRECISION;

	private final AtomicLongArray buckets = new AtomicLongArray((Long.SIZE - PRECISION) * SUB_BUCKETS);

	private final AtomicLong max = new AtomicLong();

	/** Adds a duration. */
	void add(long nanos) {
		this.buckets.incrementAndGet(index(Math.max(0, nanos)));
		this.max.accumulateAndGet(nanos, Math::max);
	}

	private static int index(long nanos) {
		int shift = Math.max(0, Long.SIZE - PRECISION - 1 - Long.numberOfLeadingZeros(nanos));
		return (shift << PRECISION) + (int) (nanos >>> shift);
	}

	/** Returns the largest duration of a bucket. */
	private static long upperEnd(int index) {
		int shift = Math.max(0, (index >>> PRECISION) - 1);
		return ((index - ((long) shift << PRECISION) + 1) << shift) - 1;
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
	 * Returns the duration that a fraction of all durations does not exceed, 0 if there
	 * are none.
	 * @param part the fraction, from 0 to 1
	 */
	long percentile(double part) {
		long rank = (long) Math.ceil(part * count());
		long count = 0;
		for (int i = 0; i < this.buckets.length(); i++) {
			count += this.buckets.get(i);
			if (count >= rank && count > 0) {
				return Math.min(upperEnd(i), this.max.get());
			}
		}
		return 0;
	}

}
