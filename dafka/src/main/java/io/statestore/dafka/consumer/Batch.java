package io.statestore.dafka.consumer;

import java.util.List;

import io.statestore.dafka.DafkaRecord;
import org.jspecify.annotations.Nullable;

/**
 * Records of one partition on their way to the listener. The thread of the node creates a
 * batch; afterwards only the thread of the listener uses it.
 */
final class Batch {

	private final Progress progress;

	private final int epoch;

	private final List<DafkaRecord> records;

	private final @Nullable Lost lost;

	/** Index of the first record that the listener has not processed. */
	private int processed;

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

	Progress progress() {
		return this.progress;
	}

	@Nullable Lost lost() {
		return this.lost;
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
	 * Advances the partition past records that the listener has processed.
	 * @param count number of further records, at least 1
	 * @return the offset after them, or -1 if a seek has made the batch void
	 */
	long advance(int count) {
		this.processed += count;
		long next = this.records.get(this.processed - 1).offset() + 1;
		return this.progress.advance(this.epoch, next) ? next : -1;
	}

	/**
	 * Advances the partition past the lost records.
	 * @return the offset after them, or -1 if a seek has made the batch void
	 */
	long advancePast(Lost lost) {
		long next = lost.first() + lost.count();
		return this.progress.advance(this.epoch, next) ? next : -1;
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
