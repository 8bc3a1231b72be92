package io.statestore.dafka.producer;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Passes records from user threads to the producer's thread. The {@link MemoryBudget}
 * limits its size. Thread-safe.
 */
final class SendQueue {

	/**
	 * Length above which senders slow down. A longer queue gains no speed and costs
	 * garbage collection time.
	 */
	private static final int LONG = 16_384;

	private static final long POLL_NANOS = 500_000;

	private static final long MAX_PAUSE_NANOS = 10_000_000;

	private final Queue<Pending> queue = new ConcurrentLinkedQueue<>();

	/** Number of records; counting them in the queue would traverse all its elements. */
	private final AtomicInteger length = new AtomicInteger();

	void add(Pending pending) {
		this.length.incrementAndGet();
		this.queue.add(pending);
	}

	@Nullable Pending poll() {
		return this.queue.poll();
	}

	/** Subtracts polled records from the length. */
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
	 * Slows a sender down: waits up to ten milliseconds until the queue is shorter. Never
	 * refuses a record.
	 * @param maxNanos maximum time to wait
	 */
	void pace(long maxNanos) {
		long polls = Math.min(maxNanos, MAX_PAUSE_NANOS) / POLL_NANOS;
		for (long i = 0; i < polls && this.length.get() > LONG / 2 && !Thread.currentThread().isInterrupted(); i++) {
			LockSupport.parkNanos(this, POLL_NANOS);
		}
	}

}
