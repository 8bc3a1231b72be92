package io.statestore.broker.server;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

import io.statestore.protocol.Bytes;

/**
 * The observers of each key (protocol section 6), compared by identity.
 */
final class Observations {

	/** Estimated heap of an observation in addition to its key, in bytes. */
	static final int OVERHEAD = 544;

	private final Map<Bytes, Observed> observedByKey = new HashMap<>();

	private final Map<ClientConnection, Set<Bytes>> keysByObserver = new IdentityHashMap<>();

	/** Returns the memory of an observation in bytes. */
	static long cost(Bytes key) {
		return OVERHEAD + key.length();
	}

	/** Returns the observers of a key, empty if there are none. */
	Set<ClientConnection> of(Bytes key) {
		// Without observers, the hash of the key is not needed.
		Observed observed = this.observedByKey.isEmpty() ? null : this.observedByKey.get(key);
		return (observed != null) ? observed.observers() : Collections.emptySet();
	}

	/** Returns the number of observed keys. */
	int keyCount() {
		return this.observedByKey.size();
	}

	/** Returns whether an observer observes a key. */
	boolean contains(ClientConnection observer, Bytes key) {
		Set<Bytes> keys = this.keysByObserver.get(observer);
		return keys != null && keys.contains(key);
	}

	/** Adds an observation, unless it exists. */
	void add(ClientConnection observer, Bytes key) {
		if (contains(observer, key)) {
			return;
		}
		Observed observed = this.observedByKey.get(key);
		if (observed == null) {
			observed = Observed.of(key.compact());
			this.observedByKey.put(observed.key(), observed);
		}
		observed.observers().add(observer);
		this.keysByObserver.computeIfAbsent(observer, (absent) -> new HashSet<>()).add(observed.key());
	}

	/** Removes an observation and returns whether it existed. */
	boolean remove(ClientConnection observer, Bytes key) {
		Set<Bytes> keys = this.keysByObserver.get(observer);
		if (keys == null || !keys.remove(key)) {
			return false;
		}
		if (keys.isEmpty()) {
			this.keysByObserver.remove(observer);
		}
		removeObserver(observer, key);
		return true;
	}

	void removeAll(ClientConnection observer) {
		Set<Bytes> keys = this.keysByObserver.remove(observer);
		if (keys != null) {
			keys.forEach((key) -> removeObserver(observer, key));
		}
	}

	private void removeObserver(ClientConnection observer, Bytes key) {
		Set<ClientConnection> observers = of(key);
		observers.remove(observer);
		if (observers.isEmpty()) {
			this.observedByKey.remove(key);
		}
	}

	/** A key and its observers. All observers share this copy of the key. */
	private record Observed(Bytes key, Set<ClientConnection> observers) {

		static Observed of(Bytes key) {
			// Most keys have one or two observers.
			return new Observed(key, Collections.newSetFromMap(new IdentityHashMap<>(2)));
		}

	}

}
