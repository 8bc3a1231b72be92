package io.statestore.dafka.cli;

import java.time.Duration;

import io.statestore.dafka.consumer.Completeness;
import io.statestore.dafka.consumer.ConsumerMetrics;

/**
 * Decides when a consumer has read everything: every store has sent its complete list of
 * partitions, all known records are read, and nothing new was announced for a while. A
 * state machine for one thread; time is passed in.
 */
final class EndOfTopics {

	private final long settleNanos;

	private final long timeoutNanos;

	private State state = new State(0, 0, 0, Completeness.COMPLETE);

	private long changedAt;

	/**
	 * Creates a state machine that has seen nothing.
	 * @param settle time for which nothing new must be announced
	 * @param timeout time to wait for the first partition, for known records, and for the
	 * lists of stores
	 */
	EndOfTopics(Duration settle, Duration timeout, long now) {
		this.settleNanos = settle.toNanos();
		this.timeoutNanos = timeout.toNanos();
		this.changedAt = now;
	}

	/** Returns what follows from how far the consumer is. */
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

	/** What is known of the end. */
	enum Verdict {

		/** There is more, or there may be. */
		READING,

		/** Everything is read. */
		REACHED,

		/** No record is known. */
		NOTHING_KNOWN,

		/** No node gives the known records. */
		STUCK,

		/** A store did not send its complete list. */
		PENDING,

		/** Everything announced is read, but a store never says whether that is all. */
		UNKNOWN

	}

}
