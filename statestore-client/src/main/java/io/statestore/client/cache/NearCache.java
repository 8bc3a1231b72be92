package io.statestore.client.cache;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;

import io.statestore.client.Key;
import io.statestore.client.KeyObservation;
import io.statestore.client.KeyObserver;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Values of a cache in this process. Each entry observes its key. A read in the store
 * admits a key, but does not provide its value: the value comes from the observation,
 * which orders reads and notifications by their versions.
 * <p>
 * A full cache evicts the first entry that was not read since its last pass (CLOCK,
 * Corbato 1968, "A paging experiment with the Multics system"). Safe for use by several
 * threads. Reading never blocks.
 */
final class NearCache {

	private static final Logger logger = LoggerFactory.getLogger(NearCache.class);

	private final Map<Key, NearEntry> entries = new ConcurrentHashMap<>();

	private final ReentrantLock lock = new ReentrantLock();

	/** All entries, the next candidate for eviction first. Guarded by the lock. */
	private final Set<NearEntry> candidates = new LinkedHashSet<>();

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
	 * @param name name of the observations in logs
	 * @param options options of the cache
	 * @param template observes the keys
	 * @param converter converts a stored value
	 */
	NearCache(String name, CacheOptions options, StateStoreTemplate template,
			BiFunction<Key, Bytes, Object> converter) {
		this.name = name;
		this.capacity = options.nearCacheSize();
		this.expiry = new NearExpiry(options.expiry(), template.time());
		// Notifications must take effect even if listeners occupy all threads.
		this.operations = template.withObserver((observer) -> observer.withSettings(KeyObserver.Settings::asDirect))
			.async();
		this.converter = converter;
	}

	/** Returns the value of a key, or {@code null} if the store must be asked. */
	@Nullable Object read(Key key) {
		NearEntry entry = this.entries.get(key);
		return (entry != null) ? entry.read() : null;
	}

	/**
	 * Begins to keep a key whose value was found in the store.
	 * @param version version that was found
	 */
	void admit(Key key, Version version) {
		if (this.capacity == 0) {
			return;
		}
		NearEntry present = this.entries.get(key);
		if (present != null && !present.isOverdue()) {
			return;
		}
		NearEntry entry = new NearEntry(key, version, this.expiry, (bytes) -> this.converter.apply(key, bytes));
		List<NearEntry> removed = new ArrayList<>();
		if (add(entry, present, removed)) {
			removed.forEach(NearEntry::close);
			observe(entry);
		}
	}

	private boolean add(NearEntry entry, @Nullable NearEntry present, List<NearEntry> removed) {
		this.lock.lock();
		try {
			if (this.closed || this.entries.get(entry.key()) != present) {
				return false;
			}
			if (present != null) {
				this.candidates.remove(present);
				removed.add(present);
			}
			this.entries.put(entry.key(), entry);
			this.candidates.add(entry);
			while (this.candidates.size() > this.capacity) {
				removed.add(evict());
			}
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	private NearEntry evict() {
		while (true) {
			Iterator<NearEntry> iterator = this.candidates.iterator();
			NearEntry candidate = iterator.next();
			iterator.remove();
			if (!candidate.takeUsed()) {
				this.entries.remove(candidate.key());
				this.evictions.increment();
				return candidate;
			}
			this.candidates.add(candidate);
		}
	}

	private void observe(NearEntry entry) {
		try {
			KeyObservation observation = this.operations.observe(entry.key(), Bytes.class,
					(spec) -> spec.id("cache " + this.name).initial().onState(entry::entered), entry::changed);
			entry.observedBy(observation);
		}
		catch (RuntimeException ex) {
			// The entry stays, to prevent further attempts.
			if (this.warned.compareAndSet(false, true)) {
				logger.warn("Near cache '{}' cannot observe key {}, which is always read from the store. "
						+ "Logged only once", this.name, entry.key(), ex);
			}
		}
	}

	/** Returns the deadline of a write that is about to be sent. */
	long deadline() {
		return this.expiry.deadline();
	}

	/**
	 * Handles a local write. Older values of the key can no longer be read.
	 * @param version version that the store reported
	 * @param write the write, {@code null} for a deletion or an unmet condition
	 */
	void written(Key key, Version version, NearEntry.@Nullable LocalWrite write) {
		NearEntry entry = this.entries.get(key);
		if (entry != null) {
			entry.written(version, write);
		}
	}

	/** Removes a key, after a local write whose version is not known. */
	void remove(Key key) {
		NearEntry removed;
		this.lock.lock();
		try {
			removed = this.entries.remove(key);
			if (removed != null) {
				this.candidates.remove(removed);
			}
		}
		finally {
			this.lock.unlock();
		}
		if (removed != null) {
			removed.close();
		}
	}

	/** Removes all keys. */
	void clear() {
		clear(false);
	}

	/** Removes all keys, and admits no further ones. */
	void close() {
		clear(true);
	}

	private void clear(boolean close) {
		List<NearEntry> removed;
		this.lock.lock();
		try {
			this.closed |= close;
			removed = List.copyOf(this.candidates);
			this.candidates.clear();
			this.entries.clear();
		}
		finally {
			this.lock.unlock();
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
