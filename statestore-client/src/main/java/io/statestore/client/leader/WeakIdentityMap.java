package io.statestore.client.leader;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Map that compares keys by identity. An entry lasts while its key is referenced
 * elsewhere, so a value must not refer to its key. Safe for use by several threads.
 */
final class WeakIdentityMap<K, V> {

	private final Map<Key<K>, V> entries = new ConcurrentHashMap<>();

	private final ReferenceQueue<K> collected = new ReferenceQueue<>();

	/** Returns the value of a key, creating it if there is none. */
	V get(K key, Supplier<V> factory) {
		removeCollected();
		return this.entries.computeIfAbsent(new Key<>(key, this.collected), (absent) -> factory.get());
	}

	/** Returns the number of keys that have not been collected. */
	int size() {
		removeCollected();
		return this.entries.size();
	}

	private void removeCollected() {
		Reference<? extends K> reference;
		while ((reference = this.collected.poll()) != null) {
			this.entries.remove(reference);
		}
	}

	private static final class Key<K> extends WeakReference<K> {

		private final int hash;

		Key(K key, ReferenceQueue<K> collected) {
			super(key, collected);
			this.hash = System.identityHashCode(key);
		}

		@Override
		public boolean equals(@Nullable Object other) {
			if (this == other) {
				return true;
			}
			K key = get();
			return key != null && other instanceof Key<?> that && key == that.get();
		}

		@Override
		public int hashCode() {
			return this.hash;
		}

	}

}
