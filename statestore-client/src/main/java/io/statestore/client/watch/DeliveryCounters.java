package io.statestore.client.watch;

import java.util.concurrent.atomic.LongAdder;

/** Counters that delivery queues share. Safe for use by several threads. */
final class DeliveryCounters {

	/** Changes passed to listeners. */
	final LongAdder delivered = new LongAdder();

	/** Changes passed to listeners that follow possibly missed changes. */
	final LongAdder resynchronized = new LongAdder();

	/** Changes in all queues. */
	final LongAdder behind = new LongAdder();

	/** Changes that a later one has replaced. */
	final LongAdder dropped = new LongAdder();

}
