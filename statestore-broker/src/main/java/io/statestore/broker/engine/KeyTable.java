package io.statestore.broker.engine;

import java.security.SecureRandom;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Hash table that can be traversed in the order of the hashes. A bucket contains the keys
 * whose hashes have the same first bits, so that the order is the same after the table
 * was resized. A traversal that stops at a hash and continues there later therefore visits
 * each key exactly once, except keys added or removed meanwhile. It needs no other state.
 * <p>
 * At least half of the buckets are empty, because in a large store each additional entry
 * on the search path costs a cache miss.
 * <p>
 * The hash is seeded, because clients could otherwise choose keys that all belong to one
 * bucket (Crosby and Wallach, "Denial of Service via Algorithmic Complexity Attacks",
 * 2003).
 */
final class KeyTable {

	/** Upper limit of hashes as unsigned numbers, exclusive. */
	static final long END = 1L << 32;

	private static final int MIN_BITS = 6;

	private static final int MAX_BITS = 30;

	private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

	private final long seed;

	private int bits = MIN_BITS;

	private @Nullable Entry[] buckets = new @Nullable Entry[1 << MIN_BITS];

	private int size;

	KeyTable() {
		this(new SecureRandom().nextLong());
	}

	KeyTable(long seed) {
		this.seed = seed;
	}

	int size() {
		return this.size;
	}

	/** Returns the seeded hash of a key. */
	int hash(Bytes key) {
		long hash = this.seed ^ key.length();
		for (int i = 0; i < key.length(); i++) {
			hash = (hash ^ key.at(i)) * MULTIPLIER;
			hash ^= hash >>> 32;
		}
		return (int) ((hash * MULTIPLIER) >>> 32);
	}

	/** Returns the entry of a key, {@code null} if there is none. */
	@Nullable Entry find(int hash, Bytes key) {
		Entry entry = this.buckets[bucketOf(hash)];
		while (entry != null && (entry.hash != hash || !entry.hasKey(key))) {
			entry = entry.nextInBucket;
		}
		return entry;
	}

	/** Adds an entry. The table must not contain its key. */
	void add(Entry entry) {
		if (this.size >= this.buckets.length / 2 && this.bits < MAX_BITS) {
			resize(this.bits + 1);
		}
		push(entry);
		this.size++;
	}

	/** Removes an entry. The table must contain it. */
	void remove(Entry entry) {
		int bucket = bucketOf(entry.hash);
		Entry previous = null;
		Entry current = this.buckets[bucket];
		while (current != null && current != entry) {
			previous = current;
			current = current.nextInBucket;
		}
		if (previous == null) {
			this.buckets[bucket] = entry.nextInBucket;
		}
		else {
			previous.nextInBucket = entry.nextInBucket;
		}
		entry.nextInBucket = null;
		this.size--;
		if (this.size < this.buckets.length / 16 && this.bits > MIN_BITS) {
			resize(this.bits - 1);
		}
	}

	/** Returns the first entry of the bucket of a hash. */
	@Nullable Entry bucketAt(long hash) {
		return this.buckets[bucketOf((int) hash)];
	}

	/**
	 * Returns the first hash after the bucket of a hash, {@link #END} at the end.
	 */
	long endOfBucket(long hash) {
		return (bucketOf((int) hash) + 1L) << (32 - this.bits);
	}

	private int bucketOf(int hash) {
		return hash >>> (32 - this.bits);
	}

	private void push(Entry entry) {
		int bucket = bucketOf(entry.hash);
		entry.nextInBucket = this.buckets[bucket];
		this.buckets[bucket] = entry;
	}

	private void resize(int newBits) {
		@Nullable Entry[] old = this.buckets;
		// Allocates first, so that the table is unchanged if memory is exhausted
		this.buckets = new @Nullable Entry[1 << newBits];
		this.bits = newBits;
		for (Entry entry : old) {
			while (entry != null) {
				Entry next = entry.nextInBucket;
				push(entry);
				entry = next;
			}
		}
	}

}
