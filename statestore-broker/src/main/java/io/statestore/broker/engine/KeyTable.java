package io.statestore.broker.engine;

import java.security.SecureRandom;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A hash table that can be iterated in the order of hashes. A bucket contains the keys
 * whose hashes start with the same bits. The order therefore survives resizing. An
 * iteration that stops at a hash and continues there later finds each key that was
 * present throughout exactly once, without any state in the table.
 * <p>
 * At least half of the buckets are empty, because in a large table every entry passed on
 * the way to another one is an access to main memory.
 * <p>
 * The hash is seeded, so that clients cannot choose keys that all fall into the same
 * bucket.
 */
final class KeyTable {

	/** One more than the greatest hash, read as an unsigned number. */
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

	int hash(Bytes key) {
		long hash = this.seed ^ key.length();
		for (int i = 0; i < key.length(); i++) {
			hash = (hash ^ key.at(i)) * MULTIPLIER;
			hash ^= hash >>> 32;
		}
		return (int) ((hash * MULTIPLIER) >>> 32);
	}

	@Nullable Entry find(int hash, Bytes key) {
		Entry entry = this.buckets[bucketOf(hash)];
		while (entry != null && (entry.hash != hash || !entry.hasKey(key))) {
			entry = entry.nextInBucket;
		}
		return entry;
	}

	/** Adds an entry whose key is absent. */
	void add(Entry entry) {
		if (this.size >= this.buckets.length / 2 && this.bits < MAX_BITS) {
			resize(this.bits + 1);
		}
		push(entry);
		this.size++;
	}

	/** Removes an entry of this table. */
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

	/** Returns the first hash after the bucket of a hash, or {@link #END}. */
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
		// Allocated first, so that the table is unchanged if memory runs out.
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
