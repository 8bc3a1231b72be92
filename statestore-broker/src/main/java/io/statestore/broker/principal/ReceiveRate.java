package io.statestore.broker.principal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Token bucket that holds the bytes of one second, as a virtual schedule (generic cell
 * rate algorithm, ITU-T I.371): instead of tokens, it keeps the time until which received
 * bytes are paid for. Never refuses bytes, but returns the time for which to receive no
 * further ones. Thread-safe.
 */
final class ReceiveRate {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final long bytesPerSecond;

	/** Time in nanoseconds until which received bytes are paid for. */
	private final AtomicLong paidUntil;

	/**
	 * Creates a full bucket.
	 * @param bytesPerSecond the rate
	 * @param now the current time in nanoseconds, which starts near 0
	 */
	ReceiveRate(long bytesPerSecond, long now) {
		this.bytesPerSecond = bytesPerSecond;
		this.paidUntil = new AtomicLong(now - SECOND);
	}

	/**
	 * Takes received bytes.
	 * @return the time to wait before further bytes in nanoseconds, 0 for none
	 */
	long take(int bytes, long now) {
		long cost = bytes * SECOND / this.bytesPerSecond;
		long before;
		long after;
		do {
			before = this.paidUntil.get();
			after = Math.max(before, now - SECOND) + cost;
		}
		while (!this.paidUntil.compareAndSet(before, after));
		return Math.max(0, after - now);
	}

	/** Returns whether the bucket is as full as a new one. */
	boolean isFull(long now) {
		return this.paidUntil.get() <= now - SECOND;
	}

}
