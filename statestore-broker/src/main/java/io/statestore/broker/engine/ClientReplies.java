package io.statestore.broker.engine;

import java.util.Objects;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * One client's remembered replies, indexed by correlation data and ordered from oldest to
 * newest. A busy client has hundreds of thousands. The index therefore consists of
 * numbers, which cost the garbage collector nothing, unlike
 * {@link java.util.LinkedHashMap} nodes.
 */
final class ClientReplies {

	private static final int MIN_CAPACITY = 4;

	/** Estimated heap usage of a client, in bytes, not including its names. */
	static final int CLIENT_COST = 512;

	/**
	 * Estimated heap usage of a reply, in bytes, not including its correlation data.
	 */
	static final int REPLY_COST = 256;

	private final Requester client;

	/**
	 * Ring of replies from oldest to newest. A slot is empty if a newer reply replaced
	 * its reply.
	 */
	private @Nullable RememberedReply[] slots = new @Nullable RememberedReply[MIN_CAPACITY];

	/** Hash of the correlation data in each slot. */
	private int[] hashes = new int[MIN_CAPACITY];

	/** For each bucket, one more than the slot of its first reply, or 0. */
	private int[] buckets = new int[MIN_CAPACITY];

	/** For each slot, one more than the slot of the next reply in its bucket, or 0. */
	private int[] next = new int[MIN_CAPACITY];

	/**
	 * Position of the oldest reply. A position is a slot plus a multiple of the ring's
	 * size.
	 */
	private long oldest;

	/** Position after the newest reply. */
	private long end;

	private int count;

	private long replyBytes;

	/** Sequence number of this client's latest reply among those of all clients. */
	private long order;

	/** Number of the latest snapshot that includes this client. */
	private long snapshot;

	/**
	 * Sequence number of this client's entry into its class, see {@link ClientsBySize}.
	 */
	private long rank;

	ClientReplies(Requester client) {
		this.client = client;
	}

	Requester client() {
		return this.client;
	}

	long order() {
		return this.order;
	}

	void setOrder(long order) {
		this.order = order;
	}

	long rank() {
		return this.rank;
	}

	void setRank(long rank) {
		this.rank = rank;
	}

	@Nullable RememberedReply find(Bytes correlationData) {
		int slot = slotOf(correlationData);
		return (slot >= 0) ? this.slots[slot] : null;
	}

	private int slotOf(Bytes correlationData) {
		int hash = correlationData.hashCode();
		int slot = this.buckets[bucketOf(hash)] - 1;
		while (slot >= 0 && (this.hashes[slot] != hash || !reply(slot).hasCorrelationData(correlationData))) {
			slot = this.next[slot] - 1;
		}
		return slot;
	}

	private int bucketOf(int hash) {
		return hash & (this.buckets.length - 1);
	}

	private int slotAt(long position) {
		return (int) position & (this.slots.length - 1);
	}

	private RememberedReply reply(int slot) {
		return Objects.requireNonNull(this.slots[slot]);
	}

	/** Adds the newest reply, replacing a reply to the same request. */
	void add(RememberedReply reply) {
		int replaced = slotOf(reply.correlationData());
		if (replaced >= 0) {
			remove(replaced);
		}
		append(reply);
	}

	/** Adds the newest reply, to a request that has no other reply. */
	void append(RememberedReply reply) {
		if (this.end - this.oldest == this.slots.length) {
			resize((this.count > this.slots.length / 2) ? 2 * this.slots.length : this.slots.length);
		}
		append(reply, reply.correlationData().hashCode());
		this.replyBytes += reply.bytes();
	}

	private void append(RememberedReply reply, int hash) {
		int slot = slotAt(this.end);
		int bucket = bucketOf(hash);
		this.slots[slot] = reply;
		this.hashes[slot] = hash;
		this.next[slot] = this.buckets[bucket];
		this.buckets[bucket] = slot + 1;
		this.end++;
		this.count++;
	}

	private void remove(int slot) {
		int bucket = bucketOf(this.hashes[slot]);
		int current = this.buckets[bucket] - 1;
		if (current == slot) {
			this.buckets[bucket] = this.next[slot];
		}
		else {
			while (this.next[current] - 1 != slot) {
				current = this.next[current] - 1;
			}
			this.next[current] = this.next[slot];
		}
		this.replyBytes -= reply(slot).bytes();
		this.slots[slot] = null;
		this.count--;
		while (this.oldest < this.end && this.slots[slotAt(this.oldest)] == null) {
			this.oldest++;
		}
	}

	private void resize(int capacity) {
		@Nullable RememberedReply[] oldSlots = this.slots;
		int[] oldHashes = this.hashes;
		long oldEnd = this.end;
		long position = this.oldest;
		this.slots = new @Nullable RememberedReply[capacity];
		this.hashes = new int[capacity];
		this.buckets = new int[capacity];
		this.next = new int[capacity];
		this.oldest = 0;
		this.end = 0;
		this.count = 0;
		for (; position < oldEnd; position++) {
			int slot = (int) position & (oldSlots.length - 1);
			RememberedReply reply = oldSlots[slot];
			if (reply != null) {
				append(reply, oldHashes[slot]);
			}
		}
	}

	private RememberedReply[] replies() {
		RememberedReply[] replies = new RememberedReply[this.count];
		int copied = 0;
		for (long position = this.oldest; position < this.end; position++) {
			RememberedReply reply = this.slots[slotAt(position)];
			if (reply != null) {
				replies[copied] = reply;
				copied++;
			}
		}
		return replies;
	}

	/**
	 * Marks this client as copied by a snapshot.
	 * @param snapshot the number of the snapshot
	 * @return {@code true} if it was not marked yet
	 */
	boolean markCopied(long snapshot) {
		boolean first = this.snapshot != snapshot;
		this.snapshot = snapshot;
		return first;
	}

	/** Returns a copy that later changes do not affect. */
	Copy copy() {
		return new Copy(this.client, this.order, this.rank, replies());
	}

	void removeOlderThan(long nanos, long now) {
		while (this.count > 0 && reply(slotAt(this.oldest)).isOlderThan(nanos, now)) {
			removeOldest();
		}
	}

	void removeOldest() {
		remove(slotAt(this.oldest));
		if (this.count < this.slots.length / 8 && this.slots.length > MIN_CAPACITY) {
			resize(this.slots.length / 2);
		}
	}

	int count() {
		return this.count;
	}

	/**
	 * Returns the estimated memory of the client and all its replies in bytes, 0 without
	 * replies.
	 */
	long bytes() {
		return (this.count == 0) ? 0 : CLIENT_COST + this.client.length() + this.replyBytes;
	}

	/**
	 * A client in a snapshot.
	 *
	 * @param client the client that sent the requests
	 * @param order the sequence number of its latest reply among those of all clients
	 * @param rank the rank among clients of similar size, see {@link ClientsBySize}
	 * @param replies the replies, oldest first
	 */
	record Copy(Requester client, long order, long rank, RememberedReply[] replies) {
	}

}
