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

	/** Returns the number of changes passed to listeners. */
	long delivered() {
		return this.delivered.sum();
	}

	/** Returns the number of those that follow possibly missed ones. */
	long resynchronized() {
		return this.resynchronized.sum();
	}

	/** Returns the number of changes in all queues. */
	long behind() {
		return this.behind.sum();
	}

	/** Returns the number of changes that a later one has replaced. */
	long dropped() {
		return this.dropped.sum();
	}

}
