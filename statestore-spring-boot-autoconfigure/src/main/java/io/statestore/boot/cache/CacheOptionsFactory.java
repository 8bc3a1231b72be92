package io.statestore.boot.cache;

import io.statestore.boot.cache.StateStoreCacheProperties.SingleCache;
import io.statestore.boot.internal.OptionProperties;
import io.statestore.client.ValueConverter;
import io.statestore.client.cache.CacheOptions;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Factory for the options of caches from properties. */
final class CacheOptionsFactory {

	private static final String PREFIX = "statestore.cache.";

	private final StateStoreCacheProperties properties;

	private final @Nullable ValueConverter json;

	/**
	 * Creates a factory.
	 * @param json converter of caches with a value type, {@code null} if there is none
	 */
	CacheOptionsFactory(StateStoreCacheProperties properties, @Nullable ValueConverter json) {
		this.properties = properties;
		this.json = json;
	}

	/** Returns the options of all caches without properties of their own. */
	CacheOptions defaults() {
		return OptionProperties.create(PREFIX,
				() -> CacheOptions.DEFAULT.withExpiry(this.properties.expiry())
					.withKeyPrefix(this.properties.keyPrefix())
					.withNullValues(this.properties.nullValues())
					.withNearCacheSize(this.properties.nearCacheSize()));
	}

	/** Returns the options of one cache. */
	CacheOptions of(String name, SingleCache cache, CacheOptions defaults) {
		String prefix = PREFIX + "caches." + name + '.';
		return OptionProperties.create(prefix, () -> {
			CacheOptions options = defaults;
			if (cache.expiry() != null) {
				options = options.withExpiry(cache.expiry());
			}
			if (cache.nearCacheSize() != null) {
				options = options.withNearCacheSize(cache.nearCacheSize());
			}
			if (cache.nullValues() != null) {
				options = options.withNullValues(cache.nullValues());
			}
			Class<?> valueType = cache.valueType();
			return (valueType != null) ? options.withValues(requireJson(prefix, valueType), valueType) : options;
		});
	}

	private ValueConverter requireJson(String prefix, Class<?> valueType) {
		if (this.json == null) {
			throw new InvalidConfigurationPropertyValueException(prefix + "value-type", valueType.getName(),
					"It requires a ValueConverter bean. Add org.springframework.boot:spring-boot-starter-jackson.");
		}
		return this.json;
	}

}
