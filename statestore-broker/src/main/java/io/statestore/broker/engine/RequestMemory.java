package io.statestore.broker.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Remembers answers to recent writes so that a redelivered request is not executed twice,
 * even if its client has reconnected (protocol sections 7 and 10). Replies are limited by
 * age and by memory. If memory is short, the client whose replies use the most memory
 * loses its oldest reply. A busy client therefore does not displace other clients'
 * replies.
 * <p>
 * Deterministic: the content depends only on the requests, their order, and the times
 * passed with them. Neither a clock nor the heap is read.
 */
final class RequestMemory {

	static final Duration MIN_RETENTION = Duration.ofMinutes(1);

	static final Duration MAX_RETENTION = Duration.ofMinutes(5);

	/** Clients with remembered replies, ordered by their latest reply. */
	private final Map<Requester, ClientReplies> clients = new LinkedHashMap<>();

	/**
	 * The client with the latest reply, cached because a busy client often stays the
	 * latest.
	 */
	private @Nullable ClientReplies latest;

	private final ClientsBySize bySize = new ClientsBySize();

	private long maxBytes;

	private long retentionNanos = MIN_RETENTION.toNanos();

	private long bytes;

	private long count;

	private long evicted;

	private long lastOrder;

	/** Number of snapshots so far. */
	private long snapshots;

	private @Nullable RepliesSnapshot snapshot;

	/**
	 * Changes the limit and removes replies that exceed it.
	 * @param maxBytes maximum estimated memory of all replies
	 */
	void limit(long maxBytes) {
		this.maxBytes = maxBytes;
		evictExcess();
	}

	long maxBytes() {
		return this.maxBytes;
	}

	/**
	 * Returns the remembered answer to a redelivered request.
	 * @param requester the client that sent the request
	 * @param correlationData the correlation data of the request
	 * @param digest the digest of the payload
	 * @param now the log time in nanoseconds
	 * @return the answer, or {@code null} if none is remembered
	 */
	@Nullable Answer find(Requester requester, Bytes correlationData, int digest, long now) {
		ClientReplies client = client(requester);
		RememberedReply reply = (client != null) ? client.find(correlationData) : null;
		if (reply == null || reply.digest() != digest || reply.isOlderThan(this.retentionNanos, now)) {
			return null;
		}
		return reply.answer();
	}

	/**
	 * Remembers the answer to a request.
	 * @param write the request
	 * @param answer the answer to remember
	 * @param now the log time in nanoseconds; must not decrease
	 */
	void remember(LogEntry.Write write, Answer answer, long now) {
		if (this.maxBytes == 0) {
			return;
		}
		Duration expiry = write.messageExpiry();
		if (expiry != null) {
			this.retentionNanos = Math.max(this.retentionNanos,
					(expiry.compareTo(MAX_RETENTION) < 0 ? expiry : MAX_RETENTION).toNanos());
		}
		ClientReplies client = client(write.requester());
		if (client == null) {
			client = new ClientReplies(write.requester());
			if (this.snapshot != null) {
				this.snapshot.exclude(client);
			}
		}
		else {
			keep(client);
		}
		if (client != this.latest) {
			this.clients.remove(client.client());
			this.clients.put(client.client(), client);
			this.latest = client;
		}
		this.lastOrder++;
		client.setOrder(this.lastOrder);
		long before = client.bytes();
		int replies = client.count();
		// A copy, because the correlation data shares memory with the message.
		client.add(new RememberedReply(write.correlationData().toArray(), write.digest(), answer, now));
		client.removeOlderThan(this.retentionNanos, now);
		changed(client, before, replies);
		if (this.clients.size() > 1) {
			removeIdleClients(now);
		}
		evictExcess();
	}

	private @Nullable ClientReplies client(Requester requester) {
		ClientReplies latest = this.latest;
		boolean same = latest != null && latest.client() == requester && latest.count() > 0;
		return same ? latest : this.clients.get(requester);
	}

	/** Removes clients whose replies have all expired. */
	private void removeIdleClients(long now) {
		Iterator<ClientReplies> idle = this.clients.values().iterator();
		while (idle.hasNext()) {
			ClientReplies client = idle.next();
			keep(client);
			long before = client.bytes();
			int replies = client.count();
			client.removeOlderThan(this.retentionNanos, now);
			changed(client, before, replies);
			if (client.count() > 0) {
				return;
			}
			idle.remove();
		}
	}

	private void evictExcess() {
		while (this.bytes > this.maxBytes) {
			evict();
		}
	}

	private void evict() {
		ClientReplies largest = this.bySize.largest();
		keep(largest);
		long before = largest.bytes();
		int replies = largest.count();
		largest.removeOldest();
		changed(largest, before, replies);
		this.evicted++;
		if (largest.count() == 0) {
			this.clients.remove(largest.client());
		}
	}

	private void keep(ClientReplies client) {
		if (this.snapshot != null) {
			this.snapshot.keep(client);
		}
	}

	private void changed(ClientReplies client, long bytesBefore, int countBefore) {
		this.bytes += client.bytes() - bytesBefore;
		this.count += client.count() - countBefore;
		this.bySize.changed(client, bytesBefore);
	}

	/** Returns the clients, ordered by their latest replies. */
	Collection<ClientReplies> clients() {
		return this.clients.values();
	}

	/** Begins a snapshot of the current replies. */
	RepliesSnapshot beginSnapshot() {
		this.snapshots++;
		RepliesSnapshot snapshot = new RepliesSnapshot(this.snapshots, clients().toArray(ClientReplies[]::new));
		this.snapshot = snapshot;
		return snapshot;
	}

	void endSnapshot() {
		this.snapshot = null;
	}

	/**
	 * Restores the replies of a snapshot.
	 * @param restored the clients in any order
	 * @param lastOrder the greatest order among the clients
	 * @param lastRank the last rank assigned, see {@link ClientsBySize}
	 */
	void restore(List<ClientReplies> restored, long lastOrder, long lastRank) {
		restored.sort(Comparator.comparingLong(ClientReplies::order));
		for (ClientReplies client : restored) {
			this.clients.put(client.client(), client);
			this.bytes += client.bytes();
			this.count += client.count();
		}
		this.lastOrder = lastOrder;
		restored.sort(Comparator.comparingLong(ClientReplies::rank));
		this.bySize.restore(restored, lastRank);
	}

	long lastOrder() {
		return this.lastOrder;
	}

	long lastRank() {
		return this.bySize.lastRank();
	}

	long retentionNanos() {
		return this.retentionNanos;
	}

	void setRetentionNanos(long retentionNanos) {
		this.retentionNanos = retentionNanos;
	}

	/** Returns the number of remembered replies. */
	long count() {
		return this.count;
	}

	/** Returns the estimated memory of all replies, in bytes. */
	long bytes() {
		return this.bytes;
	}

	/** Returns the number of replies that were removed because memory was short. */
	long evicted() {
		return this.evicted;
	}

}
