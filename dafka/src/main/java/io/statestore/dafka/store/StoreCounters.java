package io.statestore.dafka.store;

import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.node.PartitionLimit;

/** Written by the store's thread, read by any. */
final class StoreCounters {

	final LongAdder stored = new LongAdder();

	final LongAdder duplicates = new LongAdder();

	final LongAdder lost = new LongAdder();

	final LongAdder late = new LongAdder();

	final LongAdder fetched = new LongAdder();

	final LongAdder acknowledgements = new LongAdder();

	final PartitionLimit limit;

	volatile int partitions;

	volatile int stuck;

	volatile long bytes;

	StoreCounters(PartitionLimit limit) {
		this.limit = limit;
	}

}
