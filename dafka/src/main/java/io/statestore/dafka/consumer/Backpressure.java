package io.statestore.dafka.consumer;

import java.util.concurrent.TimeUnit;

/**
 * Decides when a consumer without room leaves messages unread, so that their senders slow
 * down. It does so only without a store, since a store has what is dropped, and only as
 * long as the listener makes progress, so that a listener that hangs does not hold up the
 * node. For one thread.
 */
final class Backpressure {

	/** Interval at which a full consumer checks for room. */
	static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final long limitNanos;

	private boolean on;

	/** When there was room last. */
	private long since;

	/**
	 * Creates a state that reads everything.
	 * @param limitNanos time without room after which messages are read and dropped
	 */
	Backpressure(long limitNanos) {
		this.limitNanos = limitNanos;
	}

	/** A record found no room. */
	void full(boolean store, long now) {
		if (!this.on && !store) {
			this.on = true;
			this.since = now;
		}
	}

	/** There is room again. */
	void end() {
		this.on = false;
	}

	/** Ends it after too long without room, or when a store is there. */
	void check(boolean store, long now) {
		this.on = this.on && !store && now - this.since < this.limitNanos;
	}

	boolean isOn() {
		return this.on;
	}

}
