package io.statestore.client.cache;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;

import io.statestore.client.Key;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a cache's values in this process. Each entry watches its key. Reading a key from
 * the store admits the key, but does not provide its value: the value comes from the
 * watch, which orders reads and notifications by version.
 * <p>
 * A full cache evicts an entry for each key that it admits. While many watches are still
 * starting, no keys are admitted, because their requests would only delay others.
 * Thread-safe. Reading never blocks.
 */
final class NearCache {

	/** Maximum number of watches that are starting. */
	static final int MAX_STARTING = 256;

	/**
	 * Maximum number of entries considered for an eviction, which bounds its duration.
	 */
	static final int MAX_CONSIDERED = 64;

	private static final Logger logger = LoggerFactory.getLogger(NearCache.class);

	private final Map<Key, NearEntry> entries = new ConcurrentHashMap<>();

	/**
	 * All entries, in the order in which they are considered for eviction (CLOCK, Corbato
	 * 1968, "A paging experiment with the Multics system"). Guarded by this object.
	 */
	private final Set<NearEntry> candidates = new LinkedHashSet<>();

	private final AtomicInteger starting = new AtomicInteger();

	private final LongAdder evictions = new LongAdder();

	private final AtomicBoolean warned = new AtomicBoolean();

	private final String name;

	private final int capacity;

	private final NearExpiry expiry;

	private final StateStoreAsyncOperations operations;

	private final BiFunction<Key, Bytes, Object> converter;

	private boolean closed;

	/**
	 * Creates an empty near cache.
	 * @param name name of the watches in logs
	 * @param options options of the cache
	 * @param template watches the keys
	 * @param converter converts a stored value
	 */
	NearCache(String name, CacheOptions options, StateStoreTemplate template,
			BiFunction<Key, Bytes, Object> converter) {
		this.name = name;
		this.capacity = options.nearCacheSize();
		this.expiry = new NearExpiry(options.expiry(), template.time());
		// Notifications must take effect even if listeners occupy all threads.
		this.operations = template.withWatcher((watcher) -> watcher.withSettings(KeyWatcher.Settings::asDirect))
			.async();
		this.converter = converter;
	}

	/** Returns the value of a key, or {@code null} if it must be read from the store. */
	@Nullable Object read(Key key) {
		NearEntry entry = this.entries.get(key);
		return (entry != null) ? entry.read() : null;
	}

	/**
	 * Starts keeping a key that was found in the store. From then on, reads do not return
	 * values older than the version found.
	 * @param version version found in the store
	 */
	void admit(Key key, Version version) {
		NearEntry present = this.entries.get(key);
		if (present != null) {
			present.found(version);
		}
		if (this.capacity == 0 || (present != null && !present.isOverdue()) || this.starting.get() >= MAX_STARTING) {
			return;
		}
		add(new NearEntry(key, version, this.expiry, (bytes) -> this.converter.apply(key, bytes),
				this.starting::decrementAndGet), present);
	}

	/**
	 * Adds an entry. If the key already has an entry, replaces it. Otherwise, evicts
	 * another entry if the cache is full.
	 */
	private void add(NearEntry entry, @Nullable NearEntry present) {
		NearEntry removed = present;
		synchronized (this) {
			if (this.closed || this.entries.get(entry.key()) != present) {
				return;
			}
			if (present != null) {
				this.candidates.remove(present);
			}
			else if (this.candidates.size() >= this.capacity) {
				removed = evict(this.candidates);
				if (removed == null) {
					return;
				}
				this.entries.remove(removed.key());
				this.evictions.increment();
			}
			this.entries.put(entry.key(), entry);
			this.candidates.add(entry);
			this.starting.incrementAndGet();
		}
		if (removed != null) {
			removed.close();
		}
		watch(entry);
	}

	/**
	 * Removes the first entry that was not read since it was last considered, or else the
	 * last entry considered. Entries whose watches are still starting stay, because
	 * ending the watches would cost more requests than the entries save.
	 * @return the removed entry, {@code null} if the watches of all entries considered
	 * are still starting
	 */
	static @Nullable NearEntry evict(Set<NearEntry> candidates) {
		NearEntry last = null;
		for (int i = Math.min(MAX_CONSIDERED, candidates.size()); i > 0; i--) {
			Iterator<NearEntry> iterator = candidates.iterator();
			NearEntry entry = iterator.next();
			iterator.remove();
			if (!entry.isStarting()) {
				if (!entry.takeUsed()) {
					return entry;
				}
				last = entry;
			}
			candidates.add(entry);
		}
		if (last != null) {
			candidates.remove(last);
		}
		return last;
	}

	private void watch(NearEntry entry) {
		try {
			KeyWatch watch = this.operations.watch(entry.key(), Bytes.class,
					(spec) -> spec.id("cache " + this.name).initial().onState(entry::entered), entry::changed);
			entry.watchedBy(watch);
		}
		catch (RuntimeException ex) {
			// The entry stays, to prevent more attempts.
			entry.endStart();
			if (this.warned.compareAndSet(false, true)) {
				logger.warn("Near cache '{}' cannot watch key {}, which is always read from the store. "
						+ "Logged only once", this.name, entry.key(), ex);
			}
		}
	}

	long deadline() {
		return this.expiry.deadline();
	}

	/**
	 * Handles a local write. From then on, reads do not return older values of the key.
	 * @param version version that the store reported
	 * @param deadline the value's expiry deadline, computed before the write was sent;
	 * {@code null} for a deletion or an unmet condition
	 */
	void written(Key key, Version version, @Nullable Long deadline) {
		NearEntry entry = this.entries.get(key);
		if (entry != null) {
			entry.written(version, deadline);
		}
	}

	/** Removes a key after a local write whose version is unknown. */
	void remove(Key key) {
		NearEntry removed;
		synchronized (this) {
			removed = this.entries.remove(key);
			if (removed != null) {
				this.candidates.remove(removed);
			}
		}
		if (removed != null) {
			removed.close();
		}
	}

	void clear() {
		clear(false);
	}

	/** Removes all keys, and admits no more keys. */
	void close() {
		clear(true);
	}

	private void clear(boolean close) {
		List<NearEntry> removed;
		synchronized (this) {
			this.closed |= close;
			removed = List.copyOf(this.candidates);
			this.candidates.clear();
			this.entries.clear();
		}
		removed.forEach(NearEntry::close);
	}

	int size() {
		return this.entries.size();
	}

	long evictions() {
		return this.evictions.sum();
	}

}
