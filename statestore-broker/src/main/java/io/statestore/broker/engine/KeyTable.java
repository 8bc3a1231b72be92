package io.statestore.broker.engine;

import java.security.SecureRandom;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A hash table that can be walked in the order of the hashes. A bucket holds the keys
 * whose hash begins with the same bits, so that the order stays the same when the table
 * grows or shrinks: a walk that stops at a hash and goes on there later meets every key
 * that was there all the time exactly once, without any memory of the walk.
 * <p>
 * At least half of the buckets are empty: in a large store each entry that is met on the
 * way to another one is a wait for memory.
 * <p>
 * The hash is seeded, because clients that choose the keys could otherwise put them all
 * into one bucket.
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

	/** Add an entry whose key is not there yet. */
	void add(Entry entry) {
		if (this.size >= this.buckets.length / 2 && this.bits < MAX_BITS) {
			resize(this.bits + 1);
		}
		push(entry);
		this.size++;
	}

	/** Remove an entry that is there. */
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

	/** The first entry of the bucket that a hash falls into. */
	@Nullable Entry bucketAt(long hash) {
		return this.buckets[bucketOf((int) hash)];
	}

	/**
	 * The first hash after the bucket that a hash falls into, {@link #END} at the end.
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
		// Allocated first: without memory the table stays as it is.
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
