package io.statestore.dafka.consumer;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.statestore.dafka.Bytes;

/**
 * Which stores have sent the complete list of their partitions. For one thread, but any
 * may read {@link #completeness}.
 */
final class StoreListings {

	private static final int MAX_STORES = 1_000;

	private final Set<Bytes> topics;

	/** Stores, by address, and the topics of which they have sent everything. */
	private final Map<Bytes, Set<Bytes>> stores = new HashMap<>();

	/** Heads received of each topic since the end of a list. */
	private final Map<Bytes, Long> heads = new HashMap<>();

	/** Stores that send the ends of their lists. */
	private final Set<Bytes> confirming = new HashSet<>();

	private volatile Completeness completeness = Completeness.COMPLETE;

	StoreListings(Set<Bytes> topics) {
		this.topics = topics;
	}

	Completeness completeness() {
		return this.completeness;
	}

	/** A store is connected. */
	void found(Bytes store) {
		if (this.stores.size() < MAX_STORES) {
			this.stores.putIfAbsent(store, new HashSet<>());
			update();
		}
	}

	/** A store sends the ends of its lists. */
	void confirms(Bytes store) {
		if (this.confirming.size() < MAX_STORES) {
			this.confirming.add(store);
			update();
		}
	}

	/** Counts a head of a topic that a store sent. */
	void head(Bytes topic) {
		this.heads.merge(topic, 1L, Long::sum);
	}

	/**
	 * Ends the list of a store for a topic. If heads are missing, any store may have sent
	 * them, so that the lists of all stores are incomplete.
	 * @param count number of heads that the store sent
	 */
	void end(Bytes store, Bytes topic, long count) {
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

	/** Forgets heads whose ends got lost. Called when no list is under way. */
	void clearHeads() {
		this.heads.clear();
	}

	boolean isEmpty() {
		return this.stores.isEmpty();
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
