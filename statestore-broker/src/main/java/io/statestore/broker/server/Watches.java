package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.GlobTree;
import io.statestore.protocol.Topics;

/**
 * The watchers of each key and pattern (protocol section 6), compared by identity.
 */
final class Watches {

	/** Estimated heap usage of a watch, in bytes, not including its key. */
	static final int OVERHEAD = 544;

	/** Estimated heap per pattern character, in bytes. */
	private static final int NODE = 250;

	private final Map<Bytes, Watched> watchedByKey = new HashMap<>();

	private final Map<ClientConnection, Set<Bytes>> keysByWatcher = new IdentityHashMap<>();

	private final GlobTree<PatternWatch> patterns = new GlobTree<>();

	private final Map<ClientConnection, Map<Bytes, GlobPattern>> patternsByWatcher = new IdentityHashMap<>();

	/** Returns the estimated memory of a watch, in bytes. */
	static long cost(Bytes key) {
		return OVERHEAD + key.length();
	}

	/** Returns the estimated memory of a pattern watch, in bytes. */
	static long patternCost(Bytes pattern) {
		return OVERHEAD + (long) pattern.length() * NODE;
	}

	/**
	 * Returns the watchers of a key and of the patterns that match it, each only once;
	 * empty if there are none.
	 */
	Collection<ClientConnection> of(Bytes key) {
		Set<ClientConnection> watchers = ofKey(key);
		if (this.patterns.size() == 0 || key.length() > Topics.MAX_WATCHABLE_KEY_LENGTH) {
			return watchers;
		}
		List<PatternWatch> matching = new ArrayList<>(0);
		this.patterns.match(key, matching::add);
		if (matching.isEmpty()) {
			return watchers;
		}
		Set<ClientConnection> all = Collections.newSetFromMap(new IdentityHashMap<>());
		matching.forEach((watch) -> all.add(watch.watcher()));
		all.removeIf((watcher) -> !Topics.isWatchable(watcher.clientId(), key));
		all.addAll(watchers);
		return all;
	}

	/** Returns the watchers of a key, without pattern watchers. */
	Set<ClientConnection> ofKey(Bytes key) {
		// Without watchers, the key does not have to be hashed.
		Watched watched = this.watchedByKey.isEmpty() ? null : this.watchedByKey.get(key);
		return (watched != null) ? watched.watchers() : Collections.emptySet();
	}

	/** Returns the number of watched keys and patterns. */
	int keyCount() {
		return this.watchedByKey.size() + this.patterns.size();
	}

	/** Returns whether a watcher is notified of changes to a key. */
	boolean covers(ClientConnection watcher, Bytes key) {
		return contains(watcher, key) || this.patternsByWatcher.getOrDefault(watcher, Map.of())
			.values()
			.stream()
			.anyMatch((pattern) -> pattern.matches(key));
	}

	/** Adds a pattern watch. Returns {@code false} if it already exists. */
	boolean addPattern(ClientConnection watcher, Bytes text, GlobPattern pattern) {
		Bytes kept = text.compact();
		if (!this.patterns.add(pattern, new PatternWatch(watcher, kept))) {
			return false;
		}
		this.patternsByWatcher.computeIfAbsent(watcher, (absent) -> new HashMap<>()).put(kept, pattern);
		return true;
	}

	/** Removes a pattern watch and returns whether it existed. */
	boolean removePattern(ClientConnection watcher, Bytes text) {
		Map<Bytes, GlobPattern> patterns = this.patternsByWatcher.get(watcher);
		GlobPattern pattern = (patterns != null) ? patterns.remove(text) : null;
		return pattern != null && this.patterns.remove(pattern, new PatternWatch(watcher, text));
	}

	/** Returns whether a watcher watches a key. */
	boolean contains(ClientConnection watcher, Bytes key) {
		Set<Bytes> keys = this.keysByWatcher.get(watcher);
		return keys != null && keys.contains(key);
	}

	/** Adds a watch unless it already exists. */
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
		Map<Bytes, GlobPattern> patterns = this.patternsByWatcher.remove(watcher);
		if (patterns != null) {
			patterns.forEach((text, pattern) -> this.patterns.remove(pattern, new PatternWatch(watcher, text)));
		}
	}

	private void removeWatcher(ClientConnection watcher, Bytes key) {
		Set<ClientConnection> watchers = ofKey(key);
		watchers.remove(watcher);
		if (watchers.isEmpty()) {
			this.watchedByKey.remove(key);
		}
	}

	/**
	 * A pattern watch, with the pattern as written. Different patterns may be equal in
	 * the tree, such as one star and two.
	 */
	private record PatternWatch(ClientConnection watcher, Bytes text) {
	}

	/** A key and its watchers. All watchers share this copy of the key. */
	private record Watched(Bytes key, Set<ClientConnection> watchers) {

		static Watched of(Bytes key) {
			// Most keys have one or two watchers.
			return new Watched(key, Collections.newSetFromMap(new IdentityHashMap<>(2)));
		}

	}

}
