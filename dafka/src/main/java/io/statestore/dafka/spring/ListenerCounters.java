package io.statestore.dafka.spring;

import java.util.concurrent.atomic.LongAdder;

/** Counters of a listener, kept across restarts. Thread-safe. */
final class ListenerCounters {

	final LongAdder records = new LongAdder();

	final LongAdder bytes = new LongAdder();

	final LongAdder failures = new LongAdder();

	final LongAdder fetches = new LongAdder();

	final LongAdder overflows = new LongAdder();

	final LongAdder lost = new LongAdder();

	final LongAdder refused = new LongAdder();

	final LongAdder refusedPeers = new LongAdder();

}
