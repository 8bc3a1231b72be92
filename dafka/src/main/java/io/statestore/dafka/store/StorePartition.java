package io.statestore.dafka.store;

import io.statestore.dafka.reading.PartitionReader;
import io.statestore.dafka.reading.ReadingOptions;
import io.statestore.dafka.reading.RecordSink;
import io.statestore.dafka.store.storage.StoredPartition;
import io.statestore.dafka.wire.PartitionKey;

/** A partition of a store: what it still misses, and what it has. */
final class StorePartition {

	final StoredPartition stored;

	final PartitionReader reader;

	/** Whether an acknowledgement has to go out. */
	boolean acknowledge;

	StorePartition(StoredPartition stored, ReadingOptions options, RecordSink sink) {
		this.stored = stored;
		this.reader = new PartitionReader(options, stored.next(), sink);
	}

	PartitionKey key() {
		return this.stored.key();
	}

}
