package io.statestore.client.lock;

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

	private final Map<K, WeakReference<V>> entries = new ConcurrentHashMap<>();

	private final ReferenceQueue<V> collected = new ReferenceQueue<>();

	/** Returns the value of a key, creating it if there is none. */
	V get(K key, Function<K, V> factory) {
		removeCollected();
		while (true) {
			V value = this.entries.compute(key, (same, entry) -> (entry != null && !entry.refersTo(null)) ? entry
					: new WeakReference<>(factory.apply(same), this.collected))
				.get();
			if (value != null) {
				return value;
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
		boolean found = false;
		while (this.collected.poll() != null) {
			found = true;
		}
		if (found) {
			this.entries.values().removeIf((entry) -> entry.refersTo(null));
		}
	}

}
