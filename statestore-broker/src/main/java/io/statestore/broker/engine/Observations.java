package io.statestore.broker.engine;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

import io.statestore.protocol.Bytes;

/** Who observes which keys (protocol section 6). Observers are compared by identity. */
final class Observations<O> {

	private final Map<Bytes, Set<O>> observersByKey = new HashMap<>();

	private final Map<O, Set<Bytes>> keysByObserver = new IdentityHashMap<>();

	/** The observers of a key; empty if nobody observes it. */
	Set<O> of(Bytes key) {
		return this.observersByKey.getOrDefault(key, Collections.emptySet());
	}

	/** How many keys are observed. */
	int keyCount() {
		return this.observersByKey.size();
	}

	void add(O observer, Bytes key) {
		Set<O> observers = this.observersByKey.get(key);
		if (observers == null) {
			// Most keys have one or two observers: begin small.
			observers = Collections.newSetFromMap(new IdentityHashMap<>(2));
			this.observersByKey.put(key.compact(), observers);
		}
		if (observers.add(observer)) {
			this.keysByObserver.computeIfAbsent(observer, (unused) -> new HashSet<>()).add(key.compact());
		}
	}

	/** Whether there was such an observation. */
	boolean remove(O observer, Bytes key) {
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

	void removeAll(O observer) {
		Set<Bytes> keys = this.keysByObserver.remove(observer);
		if (keys != null) {
			keys.forEach((key) -> removeObserver(observer, key));
		}
	}

	private void removeObserver(O observer, Bytes key) {
		Set<O> observers = of(key);
		observers.remove(observer);
		if (observers.isEmpty()) {
			this.observersByKey.remove(key);
		}
	}

}
