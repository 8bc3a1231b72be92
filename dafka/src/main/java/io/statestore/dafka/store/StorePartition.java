package io.statestore.dafka.store;

import io.statestore.dafka.reading.PartitionReader;
import io.statestore.dafka.store.storage.StoredPartition;
import io.statestore.dafka.wire.PartitionKey;

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

	StorePartition(StoredPartition stored, PartitionReader reader) {
		this.stored = stored;
		this.reader = reader;
		this.announced = stored.next() > 0;
	}

	PartitionKey key() {
		return this.stored.key();
	}

}
