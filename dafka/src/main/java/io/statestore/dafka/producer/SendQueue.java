package io.statestore.dafka.producer;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Queue of records from the threads of users to the thread of the producer. It links the
 * records themselves, so that adding one allocates nothing. {@link MemoryBudget} limits
 * its size. Any thread may add records; one thread removes them. The algorithm is
 * Vyukov's intrusive multi-producer single-consumer queue (1024cores.net).
 */
final class SendQueue {

	/** A longer queue is not faster, but costs time for garbage collection. */
	private static final int LONG = 16_384;

	private static final long POLL_NANOS = 500_000;

	private static final long MAX_PAUSE_NANOS = 10_000_000;

	private final AtomicInteger length = new AtomicInteger();

	private final AtomicReference<@Nullable Pending> tail = new AtomicReference<>();

	/** First record of the queue, until it is removed. */
	private volatile @Nullable Pending first;

	/** Latest removed record. */
	private @Nullable Pending taken;

	/** Adds a record. */
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

	/** Removes and returns the next record, {@code null} if there is none. */
	@Nullable Pending poll() {
		Pending taken = this.taken;
		Pending next = (taken != null) ? taken.following : this.first;
		if (next != null) {
			this.taken = next;
			if (taken != null) {
				// The garbage collector would have to follow a long chain.
				taken.following = null;
			}
			else {
				this.first = null;
			}
		}
		return next;
	}

	/** Subtracts removed records from the length. */
	void taken(int count) {
		this.length.addAndGet(-count);
	}

	boolean isEmpty() {
		return this.length.get() == 0;
	}

	/** Returns whether senders should slow down. */
	boolean isLong() {
		return this.length.get() > LONG;
	}

	/**
	 * Makes a sender wait for some milliseconds, until the queue is shorter. This slows
	 * the sender down, but refuses no record.
	 * @param maxNanos maximum time to wait
	 */
	void pace(long maxNanos) {
		long polls = Math.min(maxNanos, MAX_PAUSE_NANOS) / POLL_NANOS;
		for (long i = 0; i < polls && this.length.get() > LONG / 2 && !Thread.currentThread().isInterrupted(); i++) {
			LockSupport.parkNanos(this, POLL_NANOS);
		}
	}

}
