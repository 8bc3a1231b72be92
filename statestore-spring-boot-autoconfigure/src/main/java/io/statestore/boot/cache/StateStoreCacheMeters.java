package io.statestore.boot.cache;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.cache.CacheMeterBinder;
import io.statestore.client.cache.StateStoreCache;
import org.jspecify.annotations.Nullable;

/**
 * Meters for one cache. There is no meter for its size, because counting entries would
 * require a scan.
 */
final class StateStoreCacheMeters extends CacheMeterBinder<StateStoreCache> {

	StateStoreCacheMeters(StateStoreCache cache, Iterable<Tag> tags) {
		super(cache, cache.getName(), tags);
	}

	private StateStoreCache.Statistics statistics() {
		StateStoreCache cache = getCache();
		return (cache != null) ? cache.statistics() : new StateStoreCache.Statistics(0, 0, 0, 0, 0, 0, 0);
	}

	@Override
	protected @Nullable Long size() {
		return null;
	}

	@Override
	protected long hitCount() {
		StateStoreCache.Statistics statistics = statistics();
		return statistics.nearHits() + statistics.storeHits();
	}

	@Override
	protected Long missCount() {
		return statistics().misses();
	}

	@Override
	protected @Nullable Long evictionCount() {
		return null;
	}

	@Override
	protected long putCount() {
		return statistics().puts();
	}

	@Override
	protected void bindImplementationSpecificMetrics(MeterRegistry registry) {
		StateStoreCache cache = getCache();
		if (cache == null) {
			return;
		}
		FunctionCounter.builder("cache.removals", cache, (source) -> source.statistics().removals())
			.tags(getTagsWithCacheName())
			.description("Entries removed by evicting or clearing")
			.register(registry);
		FunctionCounter.builder("cache.near.hits", cache, (source) -> source.statistics().nearHits())
			.tags(getTagsWithCacheName())
			.description("Lookups answered by the near cache")
			.register(registry);
		FunctionCounter.builder("cache.near.evictions", cache, (source) -> source.statistics().nearEvictions())
			.tags(getTagsWithCacheName())
			.description("Entries that left the near cache because it was full")
			.register(registry);
		Gauge.builder("cache.near.size", cache, (source) -> source.statistics().nearSize())
			.tags(getTagsWithCacheName())
			.description("Entries in the near cache")
			.register(registry);
	}

}
