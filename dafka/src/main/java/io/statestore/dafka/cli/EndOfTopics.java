package io.statestore.dafka.cli;

import java.time.Duration;

import io.statestore.dafka.consumer.Completeness;
import io.statestore.dafka.consumer.ConsumerMetrics;

/**
 * State machine that determines whether a consumer has read all records. Every store must
 * have sent its complete list of partitions, all known records must have been read, and
 * no new records may be announced for a while afterward. Callers pass in the time. Not
 * thread-safe.
 */
final class EndOfTopics {

	private final long settleNanos;

	private final long timeoutNanos;

	private State state = new State(0, 0, 0, Completeness.COMPLETE);

	private long changedAt;

	/**
	 * Creates a state machine.
	 * @param settle required time without new records
	 * @param timeout time to wait for the first partition, for known records, and for
	 * complete lists from stores
	 */
	EndOfTopics(Duration settle, Duration timeout, long now) {
		this.settleNanos = settle.toNanos();
		this.timeoutNanos = timeout.toNanos();
		this.changedAt = now;
	}

	/** Handles the consumer's progress and returns the verdict. */
	Verdict at(long now, ConsumerMetrics metrics, Completeness completeness) {
		State state = new State(metrics.partitions(), metrics.known(), metrics.lag(), completeness);
		if (!state.equals(this.state)) {
			this.state = state;
			this.changedAt = now;
		}
		boolean settled = now - this.changedAt >= this.settleNanos;
		boolean timedOut = now - this.changedAt >= this.timeoutNanos;
		if (state.partitions() == 0) {
			return timedOut ? Verdict.NOTHING_KNOWN : Verdict.READING;
		}
		if (state.lag() > 0) {
			return timedOut ? Verdict.STUCK : Verdict.READING;
		}
		return switch (completeness) {
			case COMPLETE -> settled ? Verdict.REACHED : Verdict.READING;
			case UNKNOWN -> settled ? Verdict.UNKNOWN : Verdict.READING;
			case PENDING -> timedOut ? Verdict.PENDING : Verdict.READING;
		};
	}

	private record State(int partitions, long known, long lag, Completeness completeness) {
	}

	/** Result of a check. */
	enum Verdict {

		/** There are, or may be, more records. */
		READING,

		/** All records were read. */
		REACHED,

		/** No record is known. */
		NOTHING_KNOWN,

		/** No node sends the known records. */
		STUCK,

		/** A store did not send its complete list. */
		PENDING,

		/**
		 * All announced records were read, but a store does not report the end of its
		 * list.
		 */
		UNKNOWN

	}

}
