package io.statestore.broker.server;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.broker.engine.Quota;
import io.statestore.broker.engine.StateMachine;

/**
 * Counters of a {@link StateStoreServer} since its start. Safe for use by several
 * threads.
 */
final class StateStoreServerCounters {

	private final LongAdder requests = new LongAdder();

	private final LongAdder failed = new LongAdder();

	private final LongAdder replayed = new LongAdder();

	private final LongAdder expired = new LongAdder();

	private final LongAdder refused = new LongAdder();

	private final AtomicLong keys = new AtomicLong();

	private final AtomicLong bytes = new AtomicLong();

	private final AtomicLong observedKeys = new AtomicLong();

	private final AtomicLong replies = new AtomicLong();

	private final AtomicLong replyBytes = new AtomicLong();

	private final AtomicLong evictedReplies = new AtomicLong();

	void countRequest() {
		this.requests.increment();
	}

	void countFailed() {
		this.failed.increment();
	}

	void countReplayed() {
		this.replayed.increment();
	}

	void countExpired() {
		this.expired.increment();
	}

	void countRefused() {
		this.refused.increment();
	}

	/**
	 * Copies sizes that other threads cannot read at their origin. Called by one thread
	 * at a time.
	 */
	void measure(StateMachine machine, ClientObservations observations) {
		this.keys.setRelease(machine.keyCount());
		this.bytes.setRelease(machine.byteCount());
		this.observedKeys.setRelease(observations.keyCount());
		this.replies.setRelease(machine.replyCount() + observations.replyCount());
		this.replyBytes.setRelease(machine.replyBytes() + observations.replyBytes());
		this.evictedReplies.setRelease(machine.evictedReplies());
	}

	StoreStatistics statistics(Quota quota, long maxReplyBytes) {
		return new StoreStatistics(this.keys.get(), quota.maxKeys(), this.bytes.get(), quota.maxBytes(),
				this.observedKeys.get(), this.replies.get(), this.replyBytes.get(), maxReplyBytes,
				this.evictedReplies.get(), requests(), failed(), expired(), replayed(), this.refused.sum());
	}

	/** Returns the number of all requests, including those below. */
	long requests() {
		return this.requests.sum();
	}

	/**
	 * Returns the number of requests that could not be answered, or whose response topic
	 * is forbidden (protocol section 1).
	 */
	long failed() {
		return this.failed.sum();
	}

	/** Returns the number of repeated requests that received their remembered reply. */
	long replayed() {
		return this.replayed.sum();
	}

	/** Returns the number of requests whose message expiry had passed. */
	long expired() {
		return this.expired.sum();
	}

}
