package io.statestore.dafka.store;

import java.util.concurrent.atomic.LongAdder;

/** Written by the store's thread, read by any. */
final class StoreCounters {

	final LongAdder stored = new LongAdder();

	final LongAdder duplicates = new LongAdder();

	final LongAdder lost = new LongAdder();

	final LongAdder fetched = new LongAdder();

	final LongAdder acknowledgements = new LongAdder();

	volatile int partitions;

	volatile long bytes;

}
