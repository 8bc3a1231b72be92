package io.statestore.client.lock;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Map whose entries last while their values are referenced elsewhere. Safe for use by
 * several threads.
 */
final class WeakValues<K, V> {

	private final Map<K, Entry<K, V>> entries = new ConcurrentHashMap<>();

	private final ReferenceQueue<V> collected = new ReferenceQueue<>();

	/** Returns the value of a key, creating it if there is none. */
	V get(K key, Function<K, V> factory) {
		removeCollected();
		while (true) {
			Entry<K, V> entry = this.entries.get(key);
			V value = (entry != null) ? entry.get() : null;
			if (value != null) {
				return value;
			}
			if (entry != null) {
				this.entries.remove(key, entry);
			}
			V created = factory.apply(key);
			if (this.entries.putIfAbsent(key, new Entry<>(key, created, this.collected)) == null) {
				return created;
			}
		}
	}

	/** Runs an action for each value that has not been collected. */
	void forEach(Consumer<V> action) {
		this.entries.values().forEach((entry) -> {
			V value = entry.get();
			if (value != null) {
				action.accept(value);
			}
		});
	}

	/** Returns the number of values that have not been collected. */
	int size() {
		removeCollected();
		return this.entries.size();
	}

	private void removeCollected() {
		Reference<? extends V> reference;
		while ((reference = this.collected.poll()) != null) {
			if (reference instanceof Entry<?, ?> entry) {
				this.entries.remove(entry.key, entry);
			}
		}
	}

	/** Reference to a value, with the key that is removed with it. */
	private static final class Entry<K, V> extends WeakReference<V> {

		private final K key;

		Entry(K key, V value, ReferenceQueue<V> collected) {
			super(value, collected);
			this.key = key;
		}

	}

}
