package io.statestore.broker.server;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

import io.statestore.protocol.Bytes;

/**
 * The watchers of each key (protocol section 6), compared by identity.
 */
final class Watches {

	/** Estimated heap of a watch in addition to its key, in bytes. */
	static final int OVERHEAD = 544;

	private final Map<Bytes, Watched> watchedByKey = new HashMap<>();

	private final Map<ClientConnection, Set<Bytes>> keysByWatcher = new IdentityHashMap<>();

	/** Returns the memory of a watch in bytes. */
	static long cost(Bytes key) {
		return OVERHEAD + key.length();
	}

	/** Returns the watchers of a key, empty if there are none. */
	Set<ClientConnection> of(Bytes key) {
		// Without watchers, the hash of the key is not needed.
		Watched watched = this.watchedByKey.isEmpty() ? null : this.watchedByKey.get(key);
		return (watched != null) ? watched.watchers() : Collections.emptySet();
	}

	/** Returns the number of watched keys. */
	int keyCount() {
		return this.watchedByKey.size();
	}

	/** Returns whether a watcher watches a key. */
	boolean contains(ClientConnection watcher, Bytes key) {
		Set<Bytes> keys = this.keysByWatcher.get(watcher);
		return keys != null && keys.contains(key);
	}

	/** Adds a watch, unless it exists. */
	void add(ClientConnection watcher, Bytes key) {
		if (contains(watcher, key)) {
			return;
		}
		Watched watched = this.watchedByKey.get(key);
		if (watched == null) {
			watched = Watched.of(key.compact());
			this.watchedByKey.put(watched.key(), watched);
		}
		watched.watchers().add(watcher);
		this.keysByWatcher.computeIfAbsent(watcher, (absent) -> new HashSet<>()).add(watched.key());
	}

	/** Removes a watch and returns whether it existed. */
	boolean remove(ClientConnection watcher, Bytes key) {
		Set<Bytes> keys = this.keysByWatcher.get(watcher);
		if (keys == null || !keys.remove(key)) {
			return false;
		}
		if (keys.isEmpty()) {
			this.keysByWatcher.remove(watcher);
		}
		removeWatcher(watcher, key);
		return true;
	}

	void removeAll(ClientConnection watcher) {
		Set<Bytes> keys = this.keysByWatcher.remove(watcher);
		if (keys != null) {
			keys.forEach((key) -> removeWatcher(watcher, key));
		}
	}

	private void removeWatcher(ClientConnection watcher, Bytes key) {
		Set<ClientConnection> watchers = of(key);
		watchers.remove(watcher);
		if (watchers.isEmpty()) {
			this.watchedByKey.remove(key);
		}
	}

	/** A key and its watchers. All watchers share this copy of the key. */
	private record Watched(Bytes key, Set<ClientConnection> watchers) {

		static Watched of(Bytes key) {
			// Most keys have one or two watchers.
			return new Watched(key, Collections.newSetFromMap(new IdentityHashMap<>(2)));
		}

	}

}
