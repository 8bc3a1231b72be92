package io.statestore.dafka.consumer;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.statestore.dafka.Bytes;

/**
 * Tracks which stores have sent the complete list of their partitions. Not thread-safe,
 * except for {@link #completeness}, which any thread may call.
 */
final class StoreListings {

	private static final int MAX_STORES = 1_000;

	/**
	 * Larger than {@link #MAX_STORES}, because consumers also subscribe to the ends of
	 * lists.
	 */
	private static final int MAX_CONFIRMING = 10_000;

	private final Set<Bytes> topics;

	/** For each store, the topics whose lists it has sent completely. */
	private final Map<Bytes, Set<Bytes>> stores = new HashMap<>();

	/** Heads received for each topic since the end of the latest list. */
	private final Map<Bytes, Long> heads = new HashMap<>();

	/** Stores that send the ends of their lists. */
	private final Set<Bytes> confirming = new HashSet<>();

	private volatile Completeness completeness = Completeness.COMPLETE;

	/** Time when a store last appeared or left. */
	private long changedAt;

	StoreListings(Set<Bytes> topics, long now) {
		this.topics = topics;
		this.changedAt = now;
	}

	Completeness completeness() {
		return this.completeness;
	}

	/** Adds a store that has connected. */
	void add(Bytes store, long now) {
		if (this.stores.size() < MAX_STORES && this.stores.putIfAbsent(store, new HashSet<>()) == null) {
			this.changedAt = now;
			update();
		}
	}

	/** Registers a store that sends the ends of its lists. */
	void addConfirming(Bytes store) {
		if (this.confirming.size() < MAX_CONFIRMING) {
			this.confirming.add(store);
			update();
		}
	}

	/**
	 * Removes a store that has disconnected. After a reconnect, it has another address.
	 */
	void remove(Bytes store, long now) {
		if (this.stores.remove(store) != null) {
			this.changedAt = now;
		}
		this.confirming.remove(store);
		// Heads of an unfinished list must not count for another store.
		this.heads.clear();
		update();
	}

	/** Counts a head of a topic that a store has sent. */
	void countHead(Bytes topic) {
		this.heads.merge(topic, 1L, Long::sum);
	}

	/**
	 * Handles the end of a store's list for a topic. Missing heads may be from any store,
	 * so they make the lists of all stores incomplete.
	 * @param count number of heads that the store has sent
	 */
	void endList(Bytes store, Bytes topic, long count) {
		Set<Bytes> complete = this.stores.get(store);
		if (complete == null || !this.topics.contains(topic)) {
			return;
		}
		long left = this.heads.getOrDefault(topic, 0L) - count;
		this.heads.put(topic, Math.max(0, left));
		if (left >= 0) {
			complete.add(topic);
		}
		else {
			this.stores.values().forEach((topics) -> topics.remove(topic));
		}
		update();
	}

	/** Discards heads of lists whose end was lost. Called between lists. */
	void clearHeads() {
		this.heads.clear();
	}

	/** Returns the number of connected stores. */
	int size() {
		return this.stores.size();
	}

	boolean isEmpty() {
		return this.stores.isEmpty();
	}

	long changedAt() {
		return this.changedAt;
	}

	private void update() {
		Completeness result = Completeness.COMPLETE;
		for (Map.Entry<Bytes, Set<Bytes>> store : this.stores.entrySet()) {
			if (!this.confirming.contains(store.getKey())) {
				result = (result == Completeness.PENDING) ? result : Completeness.UNKNOWN;
			}
			else if (store.getValue().size() < this.topics.size()) {
				result = Completeness.PENDING;
			}
		}
		this.completeness = result;
	}

}
