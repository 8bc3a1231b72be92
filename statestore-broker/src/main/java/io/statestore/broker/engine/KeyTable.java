package io.statestore.broker.engine;

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
 * A bucket is sorted by hash, then by key. The order of an iteration therefore depends
 * only on the keys, the seed, and the number of buckets.
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

	private int bits;

	private @Nullable Entry[] buckets;

	private int size;

	KeyTable(long seed) {
		this(seed, MIN_BITS);
	}

	/**
	 * Creates an empty table with a certain number of buckets. It keeps this number until
	 * it grows, or until a key is removed.
	 * @param bits the binary logarithm of the number of buckets
	 */
	KeyTable(long seed, int bits) {
		this.seed = seed;
		this.bits = bits;
		this.buckets = new @Nullable Entry[1 << bits];
	}

	/** Returns whether a table may have a number of keys and a number of buckets. */
	static boolean isPossible(int bits, long size) {
		return bits >= MIN_BITS && bits <= MAX_BITS && (size >= 1L << (bits - 4) || bits == MIN_BITS) && size >= 0
				&& (size <= 1L << (bits - 1) || (bits == MAX_BITS && size <= Integer.MAX_VALUE));
	}

	long seed() {
		return this.seed;
	}

	int bits() {
		return this.bits;
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
		link(entry);
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

	private void link(Entry entry) {
		int bucket = bucketOf(entry.hash);
		Entry previous = null;
		Entry next = this.buckets[bucket];
		while (next != null && next.isBefore(entry)) {
			previous = next;
			next = next.nextInBucket;
		}
		entry.nextInBucket = next;
		if (previous == null) {
			this.buckets[bucket] = entry;
		}
		else {
			previous.nextInBucket = entry;
		}
	}

	private void resize(int newBits) {
		@Nullable Entry[] old = this.buckets;
		// Allocated first, so that the table is unchanged if memory runs out.
		this.buckets = new @Nullable Entry[1 << newBits];
		this.bits = newBits;
		Entry last = null;
		for (Entry entry : old) {
			while (entry != null) {
				Entry next = entry.nextInBucket;
				append(last, entry);
				last = entry;
				entry = next;
			}
		}
	}

	/**
	 * Appends an entry that is after all others.
	 * @param last the entry before it, or {@code null} if it is the first
	 */
	private void append(@Nullable Entry last, Entry entry) {
		int bucket = bucketOf(entry.hash);
		entry.nextInBucket = null;
		if (last != null && bucketOf(last.hash) == bucket) {
			last.nextInBucket = entry;
		}
		else {
			this.buckets[bucket] = entry;
		}
	}

}
