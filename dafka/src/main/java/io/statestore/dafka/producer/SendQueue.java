package io.statestore.dafka.producer;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Records on their way from the threads of users to that of the producer: a linked queue
 * of the records themselves, bounded by {@link MemoryBudget}.
 */
final class SendQueue {

	/** A longer queue is no faster, but costs the collector time. */
	private static final int LONG = 16_384;

	private static final long POLL_NANOS = 500_000;

	private static final long LONGEST_PAUSE_NANOS = 10_000_000;

	private final AtomicInteger length = new AtomicInteger();

	private final AtomicReference<@Nullable Pending> tail = new AtomicReference<>();

	/** The first one, as long as the queue was empty before; handed over by the tail. */
	private volatile @Nullable Pending first;

	/** Only for the thread that takes out. */
	private @Nullable Pending taken;

	void add(Pending pending) {
		this.length.incrementAndGet();
		Pending before = this.tail.getAndSet(pending);
		if (before != null) {
			before.following = pending;
		}
		else {
			this.first = pending;
		}
	}

	/** The next one, {@code null} if there is none yet. */
	@Nullable Pending poll() {
		Pending taken = this.taken;
		Pending next = (taken != null) ? taken.following : this.first;
		if (next != null) {
			this.taken = next;
			if (taken != null) {
				// Lets go of what was sent, so that the collector need not follow long
				// chains.
				taken.following = null;
			}
			else {
				this.first = null;
			}
		}
		return next;
	}

	/** Subtracts records removed since the last call. */
	void taken(int count) {
		this.length.addAndGet(-count);
	}

	boolean isEmpty() {
		return this.length.get() == 0;
	}

	boolean isLong() {
		return this.length.get() > LONG;
	}

	/**
	 * Lets a sender wait for a short time until the queue is shorter. It only slows down:
	 * no record is refused because of it.
	 */
	void pace(long maxNanos) {
		long end = System.nanoTime() + Math.min(maxNanos, LONGEST_PAUSE_NANOS);
		while (this.length.get() > LONG / 2 && System.nanoTime() - end < 0 && !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(this, POLL_NANOS);
		}
	}

}
