package io.statestore.boot.cache;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties for caches in the state store.
 *
 * @param enabled Whether Spring's caches are kept in the state store. Ignored if the
 * application defines a cache manager or sets spring.cache.type.
 * @param expiry How long after its last write the store deletes an entry. By default,
 * entries do not expire.
 * @param keyPrefix Prefix of all cache keys. Empty by default.
 * @param nullValues Whether null can be cached.
 * @param nearCacheSize Maximum number of entries per cache that this process keeps in
 * memory, 0 to 1000000. The process watches the key of each of these entries. By default,
 * 0, which means no near cache.
 * @param transactionAware Whether writes inside a transaction are delayed until it
 * commits.
 * @param caches Properties of individual caches, by name. They override the properties
 * for all caches. None by default.
 */
@ConfigurationProperties("statestore.cache")
record StateStoreCacheProperties(boolean enabled, @Nullable Duration expiry, @DefaultValue("") String keyPrefix,
		@DefaultValue("true") boolean nullValues, int nearCacheSize, boolean transactionAware,
		@DefaultValue Map<String, SingleCache> caches) {

	/**
	 * Properties of a single cache. They override the properties for all caches. None by
	 * default.
	 *
	 * @param expiry How long after its last write the store deletes an entry.
	 * @param nearCacheSize Maximum number of entries that this process keeps in memory.
	 * @param nullValues Whether null can be cached.
	 * @param valueType Type of all values, which are then stored as JSON. By default, a
	 * cache stores only strings.
	 */
	public record SingleCache(@Nullable Duration expiry, @Nullable Integer nearCacheSize, @Nullable Boolean nullValues,
			@Nullable Class<?> valueType) {

	}

}
