package io.statestore.client.watch;

import java.util.concurrent.atomic.LongAdder;

/** Counters that several delivery queues share. Thread-safe. */
final class DeliveryCounters {

	/** Changes passed to listeners. */
	final LongAdder delivered = new LongAdder();

	/** Changes passed to listeners and marked as resynchronized. */
	final LongAdder resynchronized = new LongAdder();

	/** Changes currently waiting in the queues. */
	final LongAdder behind = new LongAdder();

	/** Changes that a later change has replaced. */
	final LongAdder dropped = new LongAdder();

}
