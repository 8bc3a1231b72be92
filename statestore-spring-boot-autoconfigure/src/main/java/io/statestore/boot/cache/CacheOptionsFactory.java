package io.statestore.boot.cache;

import io.statestore.boot.cache.StateStoreCacheProperties.SingleCache;
import io.statestore.boot.internal.OptionProperties;
import io.statestore.client.ValueConverter;
import io.statestore.client.cache.CacheOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Creates cache options from properties.
 *
 * @param properties cache properties
 * @param json converter for caches with a value type; {@code null} if there is none
 */
record CacheOptionsFactory(StateStoreCacheProperties properties, @Nullable ValueConverter json) {

	private static final String PREFIX = "statestore.cache.";

	/** Returns the options for caches without individual properties. */
	CacheOptions defaults() {
		return OptionProperties.create(PREFIX,
				() -> CacheOptions.DEFAULT.withExpiry(this.properties.expiry())
					.withKeyPrefix(this.properties.keyPrefix())
					.withNullValues(this.properties.nullValues())
					.withNearCacheSize(this.properties.nearCacheSize()));
	}

	/** Returns the options for one cache. */
	CacheOptions of(String name, SingleCache cache, CacheOptions defaults) {
		String prefix = PREFIX + "caches." + name + '.';
		return OptionProperties.create(prefix, () -> {
			PropertyMapper map = PropertyMapper.get();
			CacheOptions options = map.from(cache::expiry).to(defaults, CacheOptions::withExpiry);
			options = map.from(cache::nearCacheSize).to(options, CacheOptions::withNearCacheSize);
			options = map.from(cache::nullValues).to(options, CacheOptions::withNullValues);
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
