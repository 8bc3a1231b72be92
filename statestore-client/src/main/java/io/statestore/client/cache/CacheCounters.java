package io.statestore.client.cache;

import java.util.concurrent.atomic.LongAdder;

/** Counters of one cache. Safe for use by several threads. */
final class CacheCounters {

	final LongAdder nearHits = new LongAdder();

	final LongAdder storeHits = new LongAdder();

	final LongAdder misses = new LongAdder();

	final LongAdder puts = new LongAdder();

	final LongAdder removals = new LongAdder();

	CacheStatistics statistics(NearCache near) {
		return new CacheStatistics(this.nearHits.sum(), this.storeHits.sum(), this.misses.sum(), this.puts.sum(),
				this.removals.sum(), near.evictions(), near.size());
	}

}
