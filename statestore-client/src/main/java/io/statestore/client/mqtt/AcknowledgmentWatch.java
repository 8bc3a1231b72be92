package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Detects that acknowledgments have ceased: the oldest publish without one has been the
 * oldest for too long. Not thread-safe.
 */
final class AcknowledgmentWatch {

	private final LongSupplier clock;

	private final Duration patience;

	private long since;

	/** Whether the oldest publish was overdue at the last check. */
	private boolean overdue;

	/**
	 * @param clock nanoseconds of a clock that never goes back
	 * @param patience how long a publish may be the oldest
	 */
	AcknowledgmentWatch(LongSupplier clock, Duration patience) {
		this.clock = clock;
		this.patience = patience;
	}

	/** Starts over, because another publish is the oldest. */
	void restart() {
		this.since = this.clock.getAsLong();
		this.overdue = false;
	}

	/**
	 * Returns whether acknowledgments have ceased. Time during which a large packet moves
	 * does not count. Two checks in a row must find the publish overdue, because after a
	 * sleep of the process its acknowledgment may have arrived and not been read.
	 */
	boolean check(Link link) {
		if (link.lookIsWithinPacket()) {
			restart();
		}
		boolean overdueBefore = this.overdue;
		this.overdue = this.clock.getAsLong() - this.since > this.patience.toNanos();
		return this.overdue && overdueBefore;
	}

	/** Returns why the connection is ended. */
	String cause() {
		return "the broker has not acknowledged a message for " + this.patience.toSeconds() + " s";
	}

}
