package io.statestore.dafka.store;

import io.statestore.dafka.reading.internal.ReadingMachine;
import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.dafka.reading.internal.PartitionReader;
import org.jspecify.annotations.Nullable;

/** Live partition of a store: the reader that completes it, and its written records. */
final class StorePartition implements ReadingMachine.Partition {

	final StoredPartition stored;

	final PartitionReader reader;

	/** Whether an acknowledgment is to be sent. */
	boolean acknowledging;

	/** Whether consumers receive its head on request. */
	boolean announced;

	/** Time when the latest record or head arrived. */
	long heardAt;

	/** Time when the latest record or head from its producer arrived. */
	long producerAt;

	/** Time when another store last announced records that are missing here. */
	long announcedAt;

	/** Records that were declared lost, {@code null} if there are none. */
	@Nullable LostRecords lost;

	/**
	 * Creates a partition that becomes live.
	 * @param producerAt a time so long ago that its producer does not count as running
	 * @param announcedAt a time before now, which does not count as an announcement
	 */
	StorePartition(StoredPartition stored, PartitionReader reader, long producerAt, long announcedAt) {
		this.stored = stored;
		this.reader = reader;
		this.producerAt = producerAt;
		this.announcedAt = announcedAt;
		this.announced = stored.next() > 0;
	}

	@Override
	public PartitionKey key() {
		return this.stored.key();
	}

	@Override
	public PartitionReader reader() {
		return this.reader;
	}

}
