package io.statestore.dafka.consumer;

import java.util.concurrent.TimeUnit;

/**
 * Flow control for a consumer. Decides when a full consumer leaves messages unread, so
 * that their senders slow down. If a store is connected, messages are dropped instead,
 * because they can be fetched later.
 * <p>
 * Flow control ends when the listener makes no progress, so that a hanging listener does
 * not block the node. At intervals, messages are read even without room. Otherwise, both
 * ends would consider the connection dead. Not thread-safe.
 */
final class Backpressure {

	/** Interval at which a full consumer checks for room. */
	static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	/** How long messages are read without room, at least. */
	static final long READ_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final long limitNanos;

	/** Whether messages are left unread. */
	private boolean on;

	/** Start of the current period of flow control, including its short pauses. */
	private long since;

	/** Whether the listener has made room during the current period. */
	private boolean progress;

	/** Whether the listener made no progress during the latest period. */
	private boolean hanging;

	/** Time when messages were last read again. */
	private long offAt;

	/**
	 * Creates flow control that is off.
	 * @param limitNanos how long a period may last; afterward, messages are read and
	 * dropped
	 * @param now current time in nanoseconds
	 */
	Backpressure(long limitNanos, long now) {
		this.limitNanos = limitNanos;
		this.offAt = now - READ_NANOS;
	}

	/** Handles a record for which there is no room. */
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

	/** Ends flow control because there is room again. */
	void end(long now) {
		this.progress = true;
		this.hanging = false;
		off(now);
	}

	/** Ends flow control if a store is connected, or the period has lasted too long. */
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
