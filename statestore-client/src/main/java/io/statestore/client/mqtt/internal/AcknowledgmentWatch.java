package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Detects that the broker has stopped acknowledging publishes: one of them has been the
 * oldest unacknowledged publish for too long. Not thread-safe.
 */
final class AcknowledgmentWatch {

	private final LongSupplier clock;

	private final Duration timeout;

	/** Time since which the same publish is the oldest. */
	private long since;

	/** Whether the oldest publish was overdue at the last check. */
	private boolean overdue;

	/** Progress of the link at the last check. */
	private TransferProgress progress = TransferProgress.UNKNOWN;

	/**
	 * @param clock monotonic clock in nanoseconds
	 * @param timeout maximum time for which a publish may be the oldest
	 */
	AcknowledgmentWatch(LongSupplier clock, Duration timeout) {
		this.clock = clock;
		this.timeout = timeout;
	}

	/** Starts to watch another link. */
	void open() {
		this.progress = TransferProgress.UNKNOWN;
	}

	/** Starts over, because another publish is the oldest. */
	void restart() {
		this.since = this.clock.getAsLong();
		this.overdue = false;
	}

	/**
	 * Checks the oldest publish. Called periodically.
	 * <p>
	 * The time during which a large packet is transferred does not count. Two consecutive
	 * checks must find the publish overdue, because after a pause of the process its
	 * acknowledgment may have arrived without having been read.
	 * @return whether the broker has stopped acknowledging publishes
	 */
	boolean check(Link link) {
		TransferProgress before = this.progress;
		this.progress = link.progress();
		if (this.progress.isWithinPacketSince(before)) {
			restart();
		}
		boolean overdueBefore = this.overdue;
		this.overdue = this.clock.getAsLong() - this.since > this.timeout.toNanos();
		return this.overdue && overdueBefore;
	}

	/** Returns the cause for ending the connection. */
	String cause() {
		return "the broker has not acknowledged a message for " + this.timeout.toSeconds() + " s";
	}

}
