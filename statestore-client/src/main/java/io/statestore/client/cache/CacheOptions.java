package io.statestore.client.cache;

import java.lang.reflect.Type;
import java.time.Duration;

import io.statestore.client.ValueConverter;
import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link StateStoreCache}. Immutable.
 *
 * @param expiry how long after its last write the store deletes an entry, 1 ms to 36,500
 * days; {@code null}, the default, to keep entries
 * @param keyPrefix prefix of the entries' keys in the store, empty by default. An entry's
 * key in the store consists of this prefix, the cache name, {@code ::}, and the key in
 * the cache
 * @param nullValues whether {@code null} can be cached, true by default
 * @param converter converter for the values; by default, a converter that accepts only
 * strings
 * @param valueType type passed to the converter to read a value, {@code String} by
 * default
 * @param nearCacheSize maximum number of entries in the near cache, 0 to 1,000,000; 0,
 * the default, for no near cache. Each entry is a watch in the store
 */
public record CacheOptions(@Nullable Duration expiry, String keyPrefix, boolean nullValues, ValueConverter converter,
		Type valueType, int nearCacheSize) {

	private static final Duration MIN_EXPIRY = Duration.ofMillis(1);

	private static final Duration MAX_EXPIRY = Duration.ofDays(36_500);

	private static final int MAX_NEAR_CACHE_SIZE = 1_000_000;

	/** Options with their default values. */
	public static final CacheOptions DEFAULT = new CacheOptions(null, "", true, TextConverter.INSTANCE, String.class,
			0);

	/**
	 * Creates options.
	 * @throws InvalidOptionException if an option is out of range
	 */
	public CacheOptions {
		if (expiry != null && (expiry.compareTo(MIN_EXPIRY) < 0 || expiry.compareTo(MAX_EXPIRY) > 0)) {
			throw new InvalidOptionException("expiry", expiry,
					"must be 1 ms to " + MAX_EXPIRY.toDays() + " days, or not set", "Omit it to keep entries");
		}
		if (nearCacheSize < 0 || nearCacheSize > MAX_NEAR_CACHE_SIZE) {
			throw new InvalidOptionException("nearCacheSize", nearCacheSize, "must be 0 to " + MAX_NEAR_CACHE_SIZE,
					"Use 0 for no near cache");
		}
	}

	/**
	 * Returns a copy with another expiry.
	 * @param expiry how long after its last write the store deletes an entry, 1 ms to
	 * 36,500 days; {@code null} to keep entries
	 * @return the copy
	 */
	public CacheOptions withExpiry(@Nullable Duration expiry) {
		return new CacheOptions(expiry, this.keyPrefix, this.nullValues, this.converter, this.valueType,
				this.nearCacheSize);
	}

	/**
	 * Returns a copy with another key prefix.
	 * @param keyPrefix prefix of the entries' keys in the store, before the cache name
	 * @return the copy
	 */
	public CacheOptions withKeyPrefix(String keyPrefix) {
		return new CacheOptions(this.expiry, keyPrefix, this.nullValues, this.converter, this.valueType,
				this.nearCacheSize);
	}

	/**
	 * Returns a copy that permits or refuses {@code null} values.
	 * @param nullValues whether {@code null} can be cached
	 * @return the copy
	 */
	public CacheOptions withNullValues(boolean nullValues) {
		return new CacheOptions(this.expiry, this.keyPrefix, nullValues, this.converter, this.valueType,
				this.nearCacheSize);
	}

	/**
	 * Returns a copy with another converter, for example a {@code JacksonValueConverter}.
	 * @param converter converter for the values
	 * @param valueType type passed to the converter to read a value
	 * @return the copy
	 */
	public CacheOptions withValues(ValueConverter converter, Type valueType) {
		return new CacheOptions(this.expiry, this.keyPrefix, this.nullValues, converter, valueType, this.nearCacheSize);
	}

	/**
	 * Returns a copy with another near cache size.
	 * @param nearCacheSize maximum number of entries, 0 to 1,000,000; 0 for no near cache
	 * @return the copy
	 */
	public CacheOptions withNearCacheSize(int nearCacheSize) {
		return new CacheOptions(this.expiry, this.keyPrefix, this.nullValues, this.converter, this.valueType,
				nearCacheSize);
	}

}
