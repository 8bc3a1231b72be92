package io.statestore.dafka.consumer;

import java.util.List;

import io.statestore.dafka.DafkaRecord;
import org.jspecify.annotations.Nullable;

/**
 * Records of one partition on their way to the listener. The node's thread creates a
 * batch; afterward, only the listener's thread uses it.
 */
final class Batch {

	final Progress progress;

	final int epoch;

	final List<DafkaRecord> records;

	final @Nullable Lost lost;

	/** Number of records that the listener has processed. */
	int processed;

	/** Index of the first record not yet taken for a listener call. */
	private int taken;

	/**
	 * Creates a batch.
	 * @param progress the partition's progress; the batch belongs to its current epoch
	 * @param records the records in order
	 * @param lost records lost directly after these, or {@code null} if there are none
	 */
	Batch(Progress progress, List<DafkaRecord> records, @Nullable Lost lost) {
		this.progress = progress;
		this.epoch = progress.epoch();
		this.records = records;
		this.lost = lost;
	}

	boolean isCurrent() {
		return this.progress.isCurrent(this.epoch);
	}

	/** Returns the next record for a listener call; {@code null} if none is left. */
	@Nullable DafkaRecord take() {
		return hasMore() ? this.records.get(this.taken++) : null;
	}

	/** Returns whether any records are not yet taken. */
	boolean hasMore() {
		return this.taken < this.records.size();
	}

	/** Returns the number of records taken but not yet processed. */
	int inCall() {
		return this.taken - this.processed;
	}

	/**
	 * Range of lost records.
	 *
	 * @param first offset of the first lost record
	 * @param count number of lost records
	 */
	record Lost(long first, long count) {
	}

}
