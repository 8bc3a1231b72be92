package io.statestore.dafka.consumer;

import java.util.List;

import io.statestore.dafka.DafkaRecord;
import org.jspecify.annotations.Nullable;

/**
 * Records of one partition on their way to the listener. The thread of the node creates a
 * batch; afterward only the thread of the listener uses it.
 */
final class Batch {

	final Progress progress;

	final int epoch;

	final List<DafkaRecord> records;

	final @Nullable Lost lost;

	/** Number of records that the listener has processed. */
	int processed;

	/** Index of the first record that was not taken for a call. */
	private int taken;

	/**
	 * Creates a batch.
	 * @param progress progress of the partition, in whose current epoch they were read
	 * @param records the records in order
	 * @param lost records that were lost after these, or {@code null} for none
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

	/** Returns the next record for a call, or {@code null} after the last one. */
	@Nullable DafkaRecord take() {
		return hasMore() ? this.records.get(this.taken++) : null;
	}

	/** Returns whether there are records that were not taken. */
	boolean hasMore() {
		return this.taken < this.records.size();
	}

	/** Returns the number of records that were taken and not processed. */
	int inCall() {
		return this.taken - this.processed;
	}

	/**
	 * Lost records.
	 *
	 * @param first offset of the first record
	 * @param count number of records
	 */
	record Lost(long first, long count) {
	}

}
