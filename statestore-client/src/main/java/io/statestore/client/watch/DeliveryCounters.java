package io.statestore.client.watch;

import java.util.concurrent.atomic.LongAdder;

import io.statestore.client.KeyChange;

/** Counters that delivery queues share. Safe for use by several threads. */
final class DeliveryCounters {

	private final LongAdder delivered = new LongAdder();

	private final LongAdder resynchronized = new LongAdder();

	private final LongAdder dropped = new LongAdder();

	/** Changes in all queues. */
	private final LongAdder behind = new LongAdder();

	/** Adds to the number of changes in all queues. */
	void queued(int changes) {
		this.behind.add(changes);
	}

	/** Counts changes that a later one has replaced. */
	void dropped(int changes) {
		this.dropped.add(changes);
	}

	/** Counts a change that is passed to its listener. */
	void delivered(KeyChange<?> change) {
		this.delivered.increment();
		if (change.resynchronized()) {
			this.resynchronized.increment();
		}
	}

	/** Returns the counters, which later changes do not affect. */
	KeyWatches.Statistics statistics(int watchedKeys) {
		return new KeyWatches.Statistics(watchedKeys, this.delivered.sum(), this.resynchronized.sum(),
				this.behind.sum(), this.dropped.sum());
	}

}
