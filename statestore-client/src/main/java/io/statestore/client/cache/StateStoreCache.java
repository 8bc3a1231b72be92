package io.statestore.client.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.statestore.client.DeleteResult;
import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.SetResult;
import io.statestore.client.SetSpec;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.support.AbstractValueAdaptingCache;

/**
 * Cache whose entries are keys of a state store, created by a
 * {@link StateStoreCacheManager}. All processes that use the store share its entries.
 * Thread-safe.
 * <p>
 * <b>Loading.</b> In this process, {@link #get(Object, Callable)} runs at most one loader
 * for each key at a time. Other processes may run their loaders at the same time; all of
 * them return the result that is stored first. A thread that is interrupted while it
 * waits for another thread's loader throws a {@link StateStoreException}. Loaders that
 * load other keys must do so in a fixed order: two threads whose loaders need each
 * other's key wait for each other forever. {@link #retrieve(Object, Supplier)} shares its
 * loads with other calls of that method.
 * <p>
 * <b>Keys.</b> Two keys with the same string form are the same key, for example
 * {@code 1}, {@code 1L}, and {@code "1"}, or an array and the string {@code "{a, b}"}.
 * Use a separate cache for each type of key.
 * <p>
 * <b>Near cache.</b> With {@link CacheOptions#nearCacheSize()}, this process keeps the
 * values that it found in the store and watches their keys. A kept value is not returned
 * while the watch is interrupted, or after this process has received notification of a
 * newer change or found a newer value in the store. Writes made by this process take
 * effect when their method returns. The value is converted once and then shared, so
 * callers must not modify it.
 * <p>
 * <b>Failures.</b> If the store does not answer or refuses a request, methods throw a
 * {@link StateStoreException}, and futures fail with it.
 */
public final class StateStoreCache extends AbstractValueAdaptingCache {

	/** Maximum number of keys removed in parallel. */
	private static final int REMOVAL_BATCH = 256;

	private final LongAdder nearHits = new LongAdder();

	private final LongAdder storeHits = new LongAdder();

	private final LongAdder misses = new LongAdder();

	private final LongAdder puts = new LongAdder();

	private final LongAdder removals = new LongAdder();

	private final CacheLoads loads = new CacheLoads();

	private final String name;

	private final CacheOptions options;

	/** Template that this cache was created with. */
	private final StateStoreTemplate nativeCache;

	/** Template whose unfenced writes are not checked against held locks. */
	private final StateStoreTemplate operations;

	private final CacheKeys keys;

	private final CacheValues values;

	private final NearCache near;

	/**
	 * Creates a cache.
	 * @param name name of the cache
	 * @param template accesses the store, and watches keys for the near cache
	 * @param options the cache options
	 */
	StateStoreCache(String name, StateStoreTemplate template, CacheOptions options) {
		super(options.nullValues());
		this.name = name;
		this.options = options;
		this.nativeCache = template;
		this.operations = template.withoutLockCheck();
		this.keys = new CacheKeys(name, options.keyPrefix());
		this.values = new CacheValues(options);
		this.near = new NearCache(name, options, this.operations, this.values::read);
	}

	@Override
	public String getName() {
		return this.name;
	}

	/** Returns the template that this cache was created with. */
	@Override
	public StateStoreOperations getNativeCache() {
		return this.nativeCache;
	}

	/**
	 * Returns the options of this cache.
	 * @return the options
	 */
	public CacheOptions options() {
		return this.options;
	}

	/**
	 * Returns this cache's statistics, counted in this process.
	 * @return a snapshot of the statistics
	 */
	public Statistics statistics() {
		return new Statistics(this.nearHits.sum(), this.storeHits.sum(), this.misses.sum(), this.puts.sum(),
				this.removals.sum(), this.near.evictions(), this.near.size());
	}

	@Override
	protected @Nullable Object lookup(Object key) {
		return find(this.keys.toKey(key));
	}

	private @Nullable Object find(Key key) {
		Object near = findNear(key);
		return (near != null) ? near : found(key, this.operations.get(key, Bytes.class));
	}

	private @Nullable Object findNear(Key key) {
		Object value = this.near.read(key);
		if (value != null) {
			this.nearHits.increment();
		}
		return value;
	}

	private @Nullable Object found(Key key, Optional<Entry<Bytes>> found) {
		(found.isPresent() ? this.storeHits : this.misses).increment();
		return found.map((entry) -> read(key, entry)).orElse(null);
	}

	private Object read(Key key, Entry<Bytes> entry) {
		this.near.admit(key, entry.version());
		return this.values.read(key, entry.value());
	}

	@Override
	public <T> @Nullable T get(Object key, Callable<T> valueLoader) {
		Key storeKey = this.keys.toKey(key);
		Object present = find(storeKey);
		Object stored = (present != null) ? present
				: this.loads.inTurn(storeKey, () -> load(key, storeKey, valueLoader));
		return cast(stored);
	}

	private Object load(Object key, Key storeKey, Callable<?> loader) {
		Object present = findAgain(storeKey);
		if (present != null) {
			return present;
		}
		Object loaded;
		try {
			loaded = toStoreValue(loader.call());
		}
		catch (Throwable ex) {
			throw new ValueRetrievalException(key, loader, ex);
		}
		SetResult result = set(storeKey, loaded, true);
		Object stored = result.applied() ? loaded : findAgain(storeKey);
		// If the stored value was deleted in the meantime, return the loaded value.
		return (stored != null) ? stored : loaded;
	}

	/**
	 * Looks up a key without counting the lookup, because the call was already counted.
	 */
	private @Nullable Object findAgain(Key key) {
		Object near = this.near.read(key);
		return (near != null) ? near
				: this.operations.get(key, Bytes.class).map((entry) -> read(key, entry)).orElse(null);
	}

	@SuppressWarnings("unchecked")
	private <T> @Nullable T cast(@Nullable Object stored) {
		return (T) fromStoreValue(stored);
	}

	/**
	 * Reads a value without blocking.
	 * @param key the key
	 * @return a future of a {@link ValueWrapper}, or of {@code null} if the key is
	 * absent. Its continuations may block
	 */
	@Override
	public CompletableFuture<?> retrieve(Object key) {
		Key storeKey = this.keys.toKey(key);
		Object near = findNear(storeKey);
		return (near != null) ? CompletableFuture.completedFuture(toValueWrapper(near))
				: this.operations.async()
					.get(storeKey, Bytes.class)
					.thenApplyAsync((found) -> toValueWrapper(found(storeKey, found)));
	}

	@Override
	public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> valueLoader) {
		Key storeKey = this.keys.toKey(key);
		Object near = findNear(storeKey);
		CompletableFuture<Object> stored = (near != null) ? CompletableFuture.completedFuture(near)
				: this.loads.share(storeKey, () -> loadAsync(storeKey, valueLoader));
		return stored.thenApply(this::cast);
	}

	private <T> CompletableFuture<Object> loadAsync(Key key, Supplier<CompletableFuture<T>> loader) {
		return this.operations.async()
			.get(key, Bytes.class)
			.thenApplyAsync((found) -> Optional.ofNullable(found(key, found)))
			.thenCompose((found) -> found.map(CompletableFuture::completedFuture)
				.orElseGet(() -> loader.get().thenCompose((loaded) -> storeAsync(key, toStoreValue(loaded)))));
	}

	private CompletableFuture<Object> storeAsync(Key key, Object loaded) {
		return setAsync(key, loaded)
			.thenComposeAsync((result) -> result.applied() ? CompletableFuture.completedFuture(loaded)
					: this.operations.async()
						.get(key, Bytes.class)
						.thenApplyAsync((found) -> found.map((entry) -> read(key, entry)).orElse(loaded)));
	}

	private CompletableFuture<SetResult> setAsync(Key key, Object value) {
		Bytes bytes = this.values.write(key, value);
		long deadline = this.near.deadline();
		return this.operations.async().set(key, bytes, spec(true)).whenComplete((result, failure) -> {
			if (result != null) {
				written(key, result, deadline);
			}
			else {
				removeNear(key);
			}
		});
	}

	@Override
	public void put(Object key, @Nullable Object value) {
		set(this.keys.toKey(key), toStoreValue(value), false);
	}

	/**
	 * Stores a value if the key is absent. The store checks this atomically, so at most
	 * one process succeeds.
	 * @param key the key
	 * @param value the value
	 * @return the value already present, {@code null} if the given value was stored
	 */
	@Override
	public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
		Key storeKey = this.keys.toKey(key);
		Object storeValue = toStoreValue(value);
		while (!set(storeKey, storeValue, true).applied()) {
			Object present = findAgain(storeKey);
			if (present != null) {
				return toValueWrapper(present);
			}
			// Deleted in the meantime, so the next attempt may succeed.
		}
		return null;
	}

	private SetResult set(Key key, Object value, boolean ifAbsent) {
		Bytes bytes = this.values.write(key, value);
		long deadline = this.near.deadline();
		SetResult result = changing(key, () -> this.operations.set(key, bytes, spec(ifAbsent)));
		written(key, result, deadline);
		return result;
	}

	private Consumer<SetSpec> spec(boolean ifAbsent) {
		return (spec) -> {
			if (ifAbsent) {
				spec.ifAbsent();
			}
			if (this.options.expiry() != null) {
				spec.expire(this.options.expiry());
			}
			else {
				spec.neverExpire();
			}
		};
	}

	private void written(Key key, SetResult result, long deadline) {
		if (result.applied()) {
			this.puts.increment();
			this.loads.written(key);
		}
		this.near.written(key, result.version(), result.applied() ? deadline : null);
	}

	/**
	 * Runs a write. If it fails, the near cache drops the key, because the outcome may be
	 * unknown.
	 */
	private <R> R changing(Key key, Supplier<R> write) {
		try {
			return write.get();
		}
		catch (RuntimeException | Error ex) {
			removeNear(key);
			throw ex;
		}
	}

	private void removeNear(Key key) {
		this.loads.written(key);
		this.near.remove(key);
	}

	@Override
	public void evict(Object key) {
		evictIfPresent(key);
	}

	/**
	 * Removes a key immediately, even if writes wait for a transaction to commit.
	 * @param key the key
	 * @return whether it was present
	 */
	@Override
	public boolean evictIfPresent(Object key) {
		Key storeKey = this.keys.toKey(key);
		DeleteResult result = changing(storeKey, () -> this.operations.delete(storeKey));
		Version version = result.version();
		this.loads.written(storeKey);
		if (result.deleted() && version != null) {
			this.removals.increment();
			this.near.written(storeKey, version, null);
		}
		else {
			// The key is absent, so a value in the near cache is outdated.
			this.near.remove(storeKey);
		}
		return result.deleted();
	}

	/**
	 * Removes all keys, like {@link #invalidate()}. Requires a store that supports the
	 * SCAN command.
	 * @throws StateStoreException if a key could not be removed; other keys may have been
	 * removed
	 */
	@Override
	public void clear() {
		invalidate();
	}

	/**
	 * Removes all keys that are present during the entire call, and returns when they are
	 * removed. The removal is not atomic: other processes may see some keys removed and
	 * others still present, and keys that they write during the call may remain. Requires
	 * a store that supports the SCAN command.
	 * @return whether at least one key was present
	 * @throws StateStoreException if a key could not be removed; other keys may have been
	 * removed
	 */
	@Override
	public boolean invalidate() {
		try {
			long removed = removeAll();
			this.removals.add(removed);
			return removed > 0;
		}
		finally {
			this.loads.cleared();
			this.near.clear();
		}
	}

	/** Removes all keys, several in parallel, and returns how many were removed. */
	private long removeAll() {
		long removed = 0;
		List<CompletableFuture<DeleteResult>> batch = new ArrayList<>();
		for (Key key : this.operations.scan(this.keys.pattern())) {
			batch.add(this.operations.async().delete(key));
			if (batch.size() == REMOVAL_BATCH) {
				removed += await(batch);
				batch.clear();
			}
		}
		return removed + await(batch);
	}

	private long await(List<CompletableFuture<DeleteResult>> batch) {
		try {
			this.operations.time().get(CompletableFuture.allOf(batch.toArray(CompletableFuture[]::new)), null);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new StateStoreOutcomeUnknownException(
					"Interrupted while removing the keys of a cache. Some of them may remain", ex);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new StateStoreException("At least one key of the cache was not removed. Repeat the call", ex);
		}
		return batch.stream().filter((reply) -> reply.join().deleted()).count();
	}

	/** Closes all watches. The cache continues without its near cache. */
	void close() {
		this.near.close();
	}

	/**
	 * Statistics of a cache in this process since the cache was created.
	 *
	 * @param nearHits lookups answered by the near cache
	 * @param storeHits lookups answered by the store
	 * @param misses lookups of absent keys
	 * @param puts entries written
	 * @param removals entries removed from the store by {@code evict} or {@code clear}
	 * @param nearEvictions entries removed from the near cache because it was full
	 * @param nearSize current number of entries in the near cache, including entries
	 * whose value has not arrived yet
	 */
	public record Statistics(long nearHits, long storeHits, long misses, long puts, long removals, long nearEvictions,
			int nearSize) {
	}

}
