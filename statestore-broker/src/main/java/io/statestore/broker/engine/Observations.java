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

	/**
	 * What one observer may observe: the keys need not exist, so no quota bounds them.
	 */
	static final int MAX_KEYS = 100_000;

	static final long MAX_KEY_BYTES = 16L * 1024 * 1024;

	private final Map<Bytes, Observed<O>> observedByKey = new HashMap<>();

	private final Map<O, Keys> keysByObserver = new IdentityHashMap<>();

	/** The observers of a key; empty if nobody observes it. */
	Set<O> of(Bytes key) {
		// Where nobody observes anything, the hash of the key need not be known.
		Observed<O> observed = this.observedByKey.isEmpty() ? null : this.observedByKey.get(key);
		return (observed != null) ? observed.observers() : Collections.emptySet();
	}

	/** How many keys are observed. */
	int keyCount() {
		return this.observedByKey.size();
	}

	/**
	 * Observe a key, if it is not observed already.
	 * @return whether it is observed now; otherwise it would be too much for one observer
	 */
	boolean add(O observer, Bytes key) {
		Keys keys = this.keysByObserver.getOrDefault(observer, new Keys());
		if (keys.keys.contains(key)) {
			return true;
		}
		if (!keys.hasRoom(key)) {
			return false;
		}
		Observed<O> observed = this.observedByKey.get(key);
		if (observed == null) {
			observed = Observed.of(key.compact());
			this.observedByKey.put(observed.key(), observed);
		}
		observed.observers().add(observer);
		keys.add(observed.key());
		this.keysByObserver.put(observer, keys);
		return true;
	}

	/** Whether there was such an observation. */
	boolean remove(O observer, Bytes key) {
		Keys keys = this.keysByObserver.get(observer);
		if (keys == null || !keys.remove(key)) {
			return false;
		}
		if (keys.keys.isEmpty()) {
			this.keysByObserver.remove(observer);
		}
		removeObserver(observer, key);
		return true;
	}

	void removeAll(O observer) {
		Keys keys = this.keysByObserver.remove(observer);
		if (keys != null) {
			keys.keys.forEach((key) -> removeObserver(observer, key));
		}
	}

	private void removeObserver(O observer, Bytes key) {
		Set<O> observers = of(key);
		observers.remove(observer);
		if (observers.isEmpty()) {
			this.observedByKey.remove(key);
		}
	}

	/** A key with its observers; all of these share the one copy of the key. */
	private record Observed<O>(Bytes key, Set<O> observers) {

		static <O> Observed<O> of(Bytes key) {
			// Most keys have one or two observers: begin small.
			return new Observed<>(key, Collections.newSetFromMap(new IdentityHashMap<>(2)));
		}

	}

	/** The keys of one observer. */
	private static final class Keys {

		private final Set<Bytes> keys = new HashSet<>();

		private long bytes;

		boolean hasRoom(Bytes key) {
			return this.keys.size() < MAX_KEYS && this.bytes + key.length() <= MAX_KEY_BYTES;
		}

		void add(Bytes key) {
			this.keys.add(key);
			this.bytes += key.length();
		}

		boolean remove(Bytes key) {
			boolean removed = this.keys.remove(key);
			if (removed) {
				this.bytes -= key.length();
			}
			return removed;
		}

	}

}
