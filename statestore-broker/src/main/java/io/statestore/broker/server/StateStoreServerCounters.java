package io.statestore.broker.server;

import java.util.concurrent.atomic.LongAdder;

/** What a {@link StateStoreServer} has seen since it was made. May be read any time. */
public final class StateStoreServerCounters {

	private final LongAdder requests = new LongAdder();

	private final LongAdder failed = new LongAdder();

	private final LongAdder replayed = new LongAdder();

	private final LongAdder expired = new LongAdder();

	StateStoreServerCounters() {
	}

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

	/** All requests, also those below. */
	public long requests() {
		return this.requests.sum();
	}

	/**
	 * Requests that could not be answered, or not where they wanted (protocol section 1).
	 */
	public long failed() {
		return this.failed.sum();
	}

	/** Requests that came again and got the reply they had got before. */
	public long replayed() {
		return this.replayed.sum();
	}

	/** Requests that were dropped because their sender had given up on them. */
	public long expired() {
		return this.expired.sum();
	}

}
