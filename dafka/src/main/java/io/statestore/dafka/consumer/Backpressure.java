package io.statestore.dafka.consumer;

import java.util.concurrent.TimeUnit;

/**
 * Decides when a consumer without room leaves messages unread, so that their senders slow
 * down. It does so only without a store, since a store has what is dropped, and only as
 * long as the listener makes progress, so that a listener that hangs does not hold up the
 * node. Between such times messages are read for a moment, also without room: otherwise
 * both ends of a connection would take it for dead. For one thread.
 */
final class Backpressure {

	/** Interval at which a full consumer checks for room. */
	static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	/** Time for which messages are read without room. */
	static final long READ_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final long limitNanos;

	private boolean on;

	/** When messages began to be left unread, apart from moments. */
	private long since;

	/** Whether there was room since then. */
	private boolean progress;

	private boolean hanging;

	private long offAt;

	/**
	 * Creates a state that reads everything.
	 * @param limitNanos time after which messages are read and dropped
	 * @param now the time
	 */
	Backpressure(long limitNanos, long now) {
		this.limitNanos = limitNanos;
		this.offAt = now - READ_NANOS;
	}

	/** A record found no room. */
	void full(boolean store, long now) {
		boolean rested = now - this.offAt >= READ_NANOS;
		boolean spent = now - this.since >= this.limitNanos;
		if (this.on || store || this.hanging || (spent && !rested)) {
			return;
		}
		this.on = true;
		if (rested) {
			this.since = now;
			this.progress = false;
		}
	}

	/** There is room again. */
	void end(long now) {
		this.progress = true;
		this.hanging = false;
		off(now);
	}

	/** Ends it after too long a time, or when a store is there. */
	void check(boolean store, long now) {
		if (this.on && store) {
			off(now);
		}
		else if (this.on && now - this.since >= this.limitNanos) {
			off(now);
			this.hanging = !this.progress;
		}
	}

	private void off(long now) {
		if (this.on) {
			this.on = false;
			this.offAt = now;
		}
	}

	boolean isOn() {
		return this.on;
	}

}
