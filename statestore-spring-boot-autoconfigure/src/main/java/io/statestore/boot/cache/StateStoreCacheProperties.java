package io.statestore.boot.cache;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties for caches in the state store.
 *
 * @param enabled Whether the caches of Spring are in the state store. Ignored if the
 * application defines a cache manager or sets spring.cache.type.
 * @param expiry Time after which the store deletes an entry, counted from its last write.
 * By default entries are kept.
 * @param keyPrefix Prefix of the keys of all caches. Empty by default.
 * @param nullValues Whether null can be cached.
 * @param nearCacheSize Maximum number of entries of each cache that this process keeps in
 * memory, 0 to 1000000. Each one is a watch in the store. By default 0, for no near
 * cache.
 * @param transactionAware Whether writes wait for the commit of a surrounding
 * transaction.
 * @param caches Properties of individual caches by name. They override those of all
 * caches. None by default.
 */
@ConfigurationProperties("statestore.cache")
record StateStoreCacheProperties(boolean enabled, @Nullable Duration expiry, @DefaultValue("") String keyPrefix,
		@DefaultValue("true") boolean nullValues, int nearCacheSize, boolean transactionAware,
		@DefaultValue Map<String, SingleCache> caches) {

	/**
	 * Properties of one cache. They override those of all caches. None by default.
	 *
	 * @param expiry Time after which the store deletes an entry, counted from its last
	 * write.
	 * @param nearCacheSize Maximum number of entries that this process keeps in memory.
	 * @param nullValues Whether null can be cached.
	 * @param valueType Type of all values, which are then stored as JSON. By default, a
	 * cache stores texts only.
	 */
	public record SingleCache(@Nullable Duration expiry, @Nullable Integer nearCacheSize, @Nullable Boolean nullValues,
			@Nullable Class<?> valueType) {

	}

}
