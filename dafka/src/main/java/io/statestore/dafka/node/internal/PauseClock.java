package io.statestore.dafka.node.internal;

import io.statestore.dafka.Ticker;

/**
 * Clock that excludes the pauses of this process, such as the suspension of its machine.
 * Otherwise all peers would seem late after a pause. Not thread-safe.
 */
final class PauseClock {

	/** Maximum duration of a turn. The rest counts as a pause. */
	private static final long MAX_TURN_NANOS = 500_000_000;

	private final Ticker ticker;

	/** Time when the latest turn began, or when its sleep was to end. */
	private long dueAt;

	/** Total duration of all pauses. */
	private long paused;

	PauseClock(Ticker ticker) {
		this.ticker = ticker;
		this.dueAt = ticker.nanos();
	}

	/** Returns whether this is the clock of the system, which never jumps. */
	boolean isSystem() {
		return this.ticker == Ticker.SYSTEM;
	}

	/** Begins a turn, and returns the time without pauses, in nanoseconds. */
	long beginTurn() {
		long nanos = this.ticker.nanos();
		if (isSystem()) {
			this.paused += Math.max(0, nanos - this.dueAt - MAX_TURN_NANOS);
		}
		this.dueAt = nanos;
		return nanos - this.paused;
	}

	/** Announces a sleep, which is no pause. */
	void sleeping(long nanos) {
		this.dueAt += Math.max(0, nanos);
	}

}
