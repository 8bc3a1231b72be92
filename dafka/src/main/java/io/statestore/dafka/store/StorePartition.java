package io.statestore.dafka.store;

import io.statestore.dafka.reading.PartitionReader;
import io.statestore.dafka.store.storage.StoredPartition;
import io.statestore.dafka.wire.PartitionKey;
import org.jspecify.annotations.Nullable;

/** A partition that a store hears of: what it still misses, and what it has. */
final class StorePartition {

	final StoredPartition stored;

	final PartitionReader reader;

	/** Whether an acknowledgment is due. */
	boolean acknowledge;

	/** Whether its head is sent to consumers. */
	boolean announced;

	/** When the latest record or head of it arrived. */
	long heardAt;

	/** When the latest record or head from its producer arrived. */
	long producerAt;

	/** When another store last announced records that are missing here. */
	long announcedAt;

	/** Records that were declared lost, {@code null} if there are none. */
	@Nullable LostRecords lost;

	/**
	 * Creates a partition that is live.
	 * @param producerAt a time at which its producer was not heard recently
	 * @param announcedAt a time before it became live, so that it counts as no
	 * announcement
	 */
	StorePartition(StoredPartition stored, PartitionReader reader, long producerAt, long announcedAt) {
		this.stored = stored;
		this.reader = reader;
		this.producerAt = producerAt;
		this.announcedAt = announcedAt;
		this.announced = stored.next() > 0;
	}

	PartitionKey key() {
		return this.stored.key();
	}

}
