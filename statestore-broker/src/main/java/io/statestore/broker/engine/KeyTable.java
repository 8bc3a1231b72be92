package io.statestore.broker.engine;

import java.util.Arrays;
import java.util.Objects;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A hash table that can be iterated in hash order. A bucket contains the keys whose
 * hashes start with the same bits, so the order survives resizing. An iteration may stop
 * at a hash and continue there later. It finds each key that was present throughout
 * exactly once, without any state in the table.
 * <p>
 * At least half of the buckets are empty, because in a large table each entry that a
 * lookup has to pass costs an access to main memory.
 * <p>
 * A bucket is sorted by hash, then by key. The iteration order therefore depends only on
 * the keys, the seed, and the number of buckets.
 * <p>
 * Buckets hold indexes rather than references, because the garbage collector tracks each
 * place that stores a reference to a new object.
 * <p>
 * The hash is seeded so that clients cannot choose keys that all fall into the same
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

	/** For each bucket, the index of its first entry, or 0. */
	private int[] buckets;

	/** All entries, without gaps. The first element is {@code null}. */
	private @Nullable Entry[] entries;

	private int size;

	KeyTable(long seed) {
		this(seed, MIN_BITS);
	}

	/**
	 * Creates an empty table with a given number of buckets. It keeps this number until
	 * it grows or a key is removed.
	 * @param bits the binary logarithm of the number of buckets
	 */
	KeyTable(long seed, int bits) {
		this.seed = seed;
		this.bits = bits;
		this.buckets = new int[1 << bits];
		this.entries = new @Nullable Entry[1 + (1 << (bits - 1))];
	}

	/**
	 * Returns whether a table with this number of buckets can have this number of keys.
	 */
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
		Entry entry = bucketAt(hash);
		while (entry != null && (entry.hash != hash || !entry.hasKey(key))) {
			entry = next(entry);
		}
		return entry;
	}

	/** Adds an entry whose key is absent. */
	void add(Entry entry) {
		if (this.size >= this.buckets.length / 2 && this.bits < MAX_BITS) {
			resize(this.bits + 1);
		}
		else if (this.size == this.entries.length - 1) {
			this.entries = Arrays.copyOf(this.entries, (int) Math.min(2L * this.size, Integer.MAX_VALUE - 8));
		}
		Entry previous = previous(entry);
		entry.nextInBucket = next(previous, entry.hash);
		this.size++;
		this.entries[this.size] = entry;
		link(previous, entry.hash, this.size);
	}

	/** Removes an entry from this table. The last entry in the array takes its place. */
	void remove(Entry entry) {
		Entry previous = previous(entry);
		int index = next(previous, entry.hash);
		link(previous, entry.hash, entry.nextInBucket);
		entry.nextInBucket = 0;
		Entry last = Objects.requireNonNull(this.entries[this.size]);
		if (last != entry) {
			link(previous(last), last.hash, index);
			this.entries[index] = last;
		}
		this.entries[this.size] = null;
		this.size--;
		if (this.size < this.buckets.length / 16 && this.bits > MIN_BITS) {
			resize(this.bits - 1);
		}
	}

	/** Returns the predecessor of an entry in its bucket, {@code null} if it has none. */
	private @Nullable Entry previous(Entry entry) {
		Entry previous = null;
		Entry next = bucketAt(entry.hash);
		while (next != null && next.isBefore(entry)) {
			previous = next;
			next = next(next);
		}
		return previous;
	}

	/**
	 * Returns the index of the entry after {@code previous}, or of the bucket's first
	 * entry.
	 */
	private int next(@Nullable Entry previous, int hash) {
		return (previous != null) ? previous.nextInBucket : this.buckets[bucketOf(hash)];
	}

	/** Sets the index that {@link #next(Entry, int)} returns. */
	private void link(@Nullable Entry previous, int hash, int index) {
		if (previous != null) {
			previous.nextInBucket = index;
		}
		else {
			this.buckets[bucketOf(hash)] = index;
		}
	}

	/** Returns the first entry in a hash's bucket. */
	@Nullable Entry bucketAt(long hash) {
		return this.entries[this.buckets[bucketOf((int) hash)]];
	}

	/** Returns the next entry in the same bucket. */
	@Nullable Entry next(Entry entry) {
		return this.entries[entry.nextInBucket];
	}

	/** Returns the first hash after a hash's bucket, or {@link #END}. */
	long endOfBucket(long hash) {
		return (bucketOf((int) hash) + 1L) << (32 - this.bits);
	}

	private int bucketOf(int hash) {
		return hash >>> (32 - this.bits);
	}

	private void resize(int newBits) {
		int[] old = this.buckets;
		// Allocates first so that the table is unchanged if memory runs out.
		int[] buckets = new int[1 << newBits];
		this.entries = Arrays.copyOf(this.entries, 1 + (1 << (newBits - 1)));
		this.buckets = buckets;
		this.bits = newBits;
		Entry last = null;
		for (int first : old) {
			int index = first;
			for (Entry entry = this.entries[index]; entry != null; entry = this.entries[index]) {
				link((last != null && bucketOf(last.hash) == bucketOf(entry.hash)) ? last : null, entry.hash, index);
				index = entry.nextInBucket;
				entry.nextInBucket = 0;
				last = entry;
			}
		}
	}

}
