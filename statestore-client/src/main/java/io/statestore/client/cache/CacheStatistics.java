package io.statestore.client.cache;

/**
 * Statistics of a {@link StateStoreCache} since its creation, for this process.
 *
 * @param nearHits lookups answered by the near cache
 * @param storeHits lookups answered by the store
 * @param misses lookups without a result
 * @param puts entries written
 * @param removals entries removed by evicting or clearing
 * @param nearEvictions entries that left the near cache because it was full
 * @param nearSize entries in the near cache now, including those still to be read
 */
public record CacheStatistics(long nearHits, long storeHits, long misses, long puts, long removals, long nearEvictions,
		int nearSize) {
}
