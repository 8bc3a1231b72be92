package io.statestore.dafka.cli;

import java.time.Duration;
import java.util.Map;

import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.PartitionStatus;

/**
 * Decides when a consumer has read everything. Nothing in Dafka lists all partitions, so
 * the end is when all records that anybody told of are read and nothing new was told for
 * a while. A state machine for one thread; time is passed in.
 */
final class EndOfTopics {

	private final long settleNanos;

	private final long timeoutNanos;

	private Map<TopicPartition, PartitionStatus> partitions = Map.of();

	private long records;

	private long changedAt;

	/**
	 * Begins.
	 * @param settle for how long nothing new must be told
	 * @param timeout how long to wait for the first partition, and for records that are
	 * known
	 */
	EndOfTopics(Duration settle, Duration timeout, long now) {
		this.settleNanos = settle.toNanos();
		this.timeoutNanos = timeout.toNanos();
		this.changedAt = now;
	}

	/** What to make of how far the consumer is. */
	Verdict at(long now, long records, Map<TopicPartition, PartitionStatus> partitions) {
		if (records != this.records || !partitions.equals(this.partitions)) {
			this.records = records;
			this.partitions = partitions;
			this.changedAt = now;
		}
		long quiet = now - this.changedAt;
		if (partitions.isEmpty()) {
			return (quiet >= this.timeoutNanos) ? Verdict.NOTHING_KNOWN : Verdict.READING;
		}
		if (partitions.values().stream().anyMatch((status) -> status.lag() > 0)) {
			return (quiet >= this.timeoutNanos) ? Verdict.STUCK : Verdict.READING;
		}
		return (quiet >= this.settleNanos) ? Verdict.REACHED : Verdict.READING;
	}

	/** What is known of the end. */
	enum Verdict {

		/** There is more, or there may be. */
		READING,

		/** Everything is read. */
		REACHED,

		/** Nobody told of any record. */
		NOTHING_KNOWN,

		/** Nobody gives what was told of. */
		STUCK

	}

}
