package io.statestore.dafka.store;

import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.reading.internal.PartitionLimit;

/**
 * Counters behind {@link StoreMetrics}. Updated by the thread of the store, read by any
 * thread.
 */
final class StoreCounters {

	final LongAdder stored = new LongAdder();

	final LongAdder duplicates = new LongAdder();

	final LongAdder lost = new LongAdder();

	final LongAdder late = new LongAdder();

	final LongAdder acknowledgments = new LongAdder();

	final PartitionLimit limit;

	volatile int partitions;

	volatile int stuck;

	volatile long bytes;

	StoreCounters(PartitionLimit limit) {
		this.limit = limit;
	}

}
