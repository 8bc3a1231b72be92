package io.statestore.client.cache;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.client.StateStoreTemplate;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.cache.Cache;
import org.springframework.cache.support.AbstractCacheManager;
import org.springframework.cache.transaction.TransactionAwareCacheDecorator;
import org.springframework.util.ClassUtils;

/**
 * Cache manager whose caches keep their entries in a state store. By default, it creates
 * a cache when the cache's name is first used. Thread-safe.
 *
 * <pre>{@code
 * StateStoreCacheManager manager = StateStoreCacheManager.builder(template)
 *     .defaults(CacheOptions.DEFAULT.withExpiry(Duration.ofMinutes(10)))
 *     .cache("products", CacheOptions.DEFAULT.withNearCacheSize(1000))
 *     .build();
 * }</pre>
 */
public final class StateStoreCacheManager extends AbstractCacheManager implements DisposableBean {

	private final Map<String, StateStoreCache> created = new ConcurrentHashMap<>();

	private final StateStoreTemplate template;

	private final CacheOptions defaults;

	private final Map<String, CacheOptions> options;

	private final boolean fixed;

	private final boolean transactionAware;

	private StateStoreCacheManager(Builder builder) {
		this.template = builder.template;
		this.defaults = builder.defaults;
		this.options = Map.copyOf(builder.options());
		this.fixed = builder.fixed;
		this.transactionAware = builder.transactionAware;
		initializeCaches();
	}

	/**
	 * Returns a builder for a cache manager.
	 * @param template template that accesses the store; near caches require that it can
	 * watch keys
	 * @return the builder
	 */
	public static Builder builder(StateStoreTemplate template) {
		return new Builder(template);
	}

	@Override
	protected Collection<? extends Cache> loadCaches() {
		return this.options.keySet().stream().map(this::create).toList();
	}

	@Override
	protected @Nullable Cache getMissingCache(String name) {
		return this.fixed ? null : create(name);
	}

	private StateStoreCache create(String name) {
		return this.created.computeIfAbsent(name,
				(same) -> new StateStoreCache(name, this.template, this.options.getOrDefault(name, this.defaults)));
	}

	@Override
	protected Cache decorateCache(Cache cache) {
		return this.transactionAware ? new TransactionAwareCacheDecorator(cache) : cache;
	}

	/** Closes the watches of all near caches. The caches continue without near caches. */
	@Override
	public void destroy() {
		this.created.values().forEach(StateStoreCache::close);
	}

	/** Builder for a {@link StateStoreCacheManager}. Not thread-safe. */
	public static final class Builder {

		private final StateStoreTemplate template;

		private final Map<String, CacheOptions> caches = new LinkedHashMap<>();

		private List<String> names = List.of();

		private CacheOptions defaults = CacheOptions.DEFAULT;

		private boolean fixed;

		private boolean transactionAware;

		private Builder(StateStoreTemplate template) {
			this.template = template;
		}

		/**
		 * Sets the options of caches that do not have their own.
		 * @param defaults the options, {@link CacheOptions#DEFAULT} by default
		 * @return this builder
		 */
		public Builder defaults(CacheOptions defaults) {
			this.defaults = defaults;
			return this;
		}

		/**
		 * Returns the options of caches that do not have their own.
		 * @return the options
		 */
		public CacheOptions defaults() {
			return this.defaults;
		}

		/**
		 * Adds a cache with its own options.
		 * @param name name of the cache, without {@code ::} and not ending with {@code :}
		 * @param options options of the cache
		 * @return this builder
		 */
		public Builder cache(String name, CacheOptions options) {
			this.caches.put(name, options);
			return this;
		}

		/**
		 * Sets the names of caches that are created with the cache manager.
		 * @param names cache names; these caches have the default options unless
		 * {@link #cache} sets others
		 * @return this builder
		 */
		public Builder cacheNames(Collection<String> names) {
			this.names = List.copyOf(names);
			return this;
		}

		/**
		 * Permits only the caches named in this builder. For other names, the manager
		 * does not return a cache, which Spring reports as an error.
		 * @return this builder
		 */
		public Builder fixed() {
			this.fixed = true;
			return this;
		}

		/**
		 * Delays writes until a surrounding Spring transaction ends: a commit sends them,
		 * and a rollback drops them. Methods with a result, such as {@code putIfAbsent},
		 * take effect immediately. Requires {@code spring-context-support} and
		 * {@code spring-tx}.
		 * @return this builder
		 */
		public Builder transactionAware() {
			this.transactionAware = true;
			return this;
		}

		static void requireTransactions(@Nullable ClassLoader classLoader) {
			requireClass("org.springframework.cache.transaction.TransactionAwareCacheDecorator",
					"org.springframework:spring-context-support", classLoader);
			requireClass("org.springframework.transaction.support.TransactionSynchronization",
					"org.springframework:spring-tx", classLoader);
		}

		private static void requireClass(String name, String dependency, @Nullable ClassLoader classLoader) {
			if (!ClassUtils.isPresent(name, classLoader)) {
				throw new IllegalStateException("Caches that are aware of transactions require " + dependency
						+ ". Add this dependency, or do not set 'transactionAware'");
			}
		}

		private Map<String, CacheOptions> options() {
			Map<String, CacheOptions> options = new LinkedHashMap<>();
			this.names.forEach((name) -> options.put(name, this.defaults));
			options.putAll(this.caches);
			return options;
		}

		/**
		 * Creates the cache manager.
		 * @return the cache manager
		 * @throws IllegalArgumentException if a name is invalid
		 * @throws IllegalStateException if {@link #transactionAware()} was called, but
		 * {@code spring-context-support} or {@code spring-tx} is missing
		 */
		public StateStoreCacheManager build() {
			if (this.transactionAware) {
				requireTransactions(StateStoreCacheManager.class.getClassLoader());
			}
			return new StateStoreCacheManager(this);
		}

	}

}
