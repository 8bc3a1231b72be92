package io.statestore.boot.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/** Properties of caches in the state store. */
@ConfigurationProperties("statestore.cache")
public class StateStoreCacheProperties {

	/**
	 * Whether the caches of Spring are in the state store. Ignored if the application
	 * defines a cache manager or sets spring.cache.type.
	 */
	private boolean enabled;

	/**
	 * Time after which the store deletes an entry, counted from its last write. By
	 * default entries are kept.
	 */
	private @Nullable Duration expiry;

	/**
	 * Prefix of the keys of all caches. Empty by default.
	 */
	private String keyPrefix = "";

	/**
	 * Whether null can be cached.
	 */
	private boolean nullValues = true;

	/**
	 * Maximum number of entries of each cache that this process keeps in memory, 0 to
	 * 1000000. Each one is an observation in the store. By default 0, for no near cache.
	 */
	private int nearCacheSize;

	/**
	 * Packages, with their subpackages, whose classes may be serialized into the store
	 * and read from it. By default, the package of the application's main class.
	 */
	private List<String> allowedPackages = new ArrayList<>();

	/**
	 * Whether writes wait for the commit of a surrounding transaction.
	 */
	private boolean transactionAware;

	/**
	 * Properties of individual caches by name. They override those of all caches. None by
	 * default.
	 */
	private Map<String, SingleCache> caches = new LinkedHashMap<>();

	public boolean isEnabled() {
		return this.enabled;
	}

	public void setEnabled(boolean enabled) {
		this.enabled = enabled;
	}

	public @Nullable Duration getExpiry() {
		return this.expiry;
	}

	public void setExpiry(@Nullable Duration expiry) {
		this.expiry = expiry;
	}

	public String getKeyPrefix() {
		return this.keyPrefix;
	}

	public void setKeyPrefix(String keyPrefix) {
		this.keyPrefix = keyPrefix;
	}

	public boolean isNullValues() {
		return this.nullValues;
	}

	public void setNullValues(boolean nullValues) {
		this.nullValues = nullValues;
	}

	public int getNearCacheSize() {
		return this.nearCacheSize;
	}

	public void setNearCacheSize(int nearCacheSize) {
		this.nearCacheSize = nearCacheSize;
	}

	public List<String> getAllowedPackages() {
		return this.allowedPackages;
	}

	public void setAllowedPackages(List<String> allowedPackages) {
		this.allowedPackages = allowedPackages;
	}

	public boolean isTransactionAware() {
		return this.transactionAware;
	}

	public void setTransactionAware(boolean transactionAware) {
		this.transactionAware = transactionAware;
	}

	public Map<String, SingleCache> getCaches() {
		return this.caches;
	}

	public void setCaches(Map<String, SingleCache> caches) {
		this.caches = caches;
	}

	/** Properties of one cache. They override those of all caches. None by default. */
	public static class SingleCache {

		/** Time after which the store deletes an entry, counted from its last write. */
		private @Nullable Duration expiry;

		/** Maximum number of entries that this process keeps in memory. */
		private @Nullable Integer nearCacheSize;

		/** Whether null can be cached. */
		private @Nullable Boolean nullValues;

		/** Type of all values, which are then stored as JSON. */
		private @Nullable Class<?> valueType;

		public @Nullable Duration getExpiry() {
			return this.expiry;
		}

		public void setExpiry(@Nullable Duration expiry) {
			this.expiry = expiry;
		}

		public @Nullable Integer getNearCacheSize() {
			return this.nearCacheSize;
		}

		public void setNearCacheSize(@Nullable Integer nearCacheSize) {
			this.nearCacheSize = nearCacheSize;
		}

		public @Nullable Boolean getNullValues() {
			return this.nullValues;
		}

		public void setNullValues(@Nullable Boolean nullValues) {
			this.nullValues = nullValues;
		}

		public @Nullable Class<?> getValueType() {
			return this.valueType;
		}

		public void setValueType(@Nullable Class<?> valueType) {
			this.valueType = valueType;
		}

	}

}
