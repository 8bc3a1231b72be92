package io.statestore.broker.engine;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** Remembered replies of one client by correlation data, oldest first. */
final class ClientReplies {

	/** Estimated heap of a client in addition to its id, in bytes. */
	static final int CLIENT_COST = 512;

	/** Estimated heap of a reply in addition to its correlation data, in bytes. */
	static final int REPLY_COST = 256;

	private final Map<Bytes, Remembered> replies = new LinkedHashMap<>();

	private final String clientId;

	private long replyBytes;

	/** Order of the latest replies of the clients. */
	private long order;

	/** Number of the latest snapshot that has copied this client. */
	private long snapshot;

	/** Order in which clients entered their class, see {@link ClientsBySize}. */
	private long rank;

	ClientReplies(String clientId) {
		this.clientId = clientId;
	}

	String clientId() {
		return this.clientId;
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

	@Nullable Remembered find(Bytes correlationData) {
		return this.replies.get(correlationData);
	}

	/** Adds a reply as the newest one. */
	void add(Remembered reply) {
		Bytes correlationData = reply.correlationData();
		if (this.replies.put(correlationData, reply) == null) {
			this.replyBytes += cost(correlationData);
			return;
		}
		// The newest reply is the last one.
		this.replies.remove(correlationData);
		this.replies.put(correlationData, reply);
	}

	/**
	 * Marks this client as copied by a snapshot.
	 * @param snapshot the number of the snapshot
	 * @return whether it was not marked before
	 */
	boolean markCopied(long snapshot) {
		boolean first = this.snapshot != snapshot;
		this.snapshot = snapshot;
		return first;
	}

	/** Returns a copy that later changes do not affect. */
	Copy copy() {
		return new Copy(this.clientId, this.order, this.rank, this.replies.values().toArray(Remembered[]::new));
	}

	void removeOlderThan(long nanos, long now) {
		Iterator<Map.Entry<Bytes, Remembered>> oldest = this.replies.entrySet().iterator();
		while (oldest.hasNext()) {
			Map.Entry<Bytes, Remembered> entry = oldest.next();
			if (!entry.getValue().isOlderThan(nanos, now)) {
				return;
			}
			oldest.remove();
			this.replyBytes -= cost(entry.getKey());
		}
	}

	void removeOldest() {
		Iterator<Bytes> oldest = this.replies.keySet().iterator();
		Bytes correlationData = oldest.next();
		oldest.remove();
		this.replyBytes -= cost(correlationData);
	}

	int count() {
		return this.replies.size();
	}

	/** Returns the estimated memory of all replies in bytes, 0 if there are none. */
	long bytes() {
		return this.replies.isEmpty() ? 0 : CLIENT_COST + this.clientId.length() + this.replyBytes;
	}

	private static long cost(Bytes correlationData) {
		return REPLY_COST + correlationData.length();
	}

	/**
	 * A remembered reply. Only replies to writes are remembered, and these are small.
	 *
	 * @param correlationData the correlation data of the request
	 * @param digest digest of the request
	 * @param answer the reply
	 * @param since log time of the reply in nanoseconds
	 */
	record Remembered(Bytes correlationData, int digest, Answer answer, long since) {

		boolean isOlderThan(long nanos, long now) {
			return now - this.since > nanos;
		}

	}

	/**
	 * A client in a snapshot.
	 *
	 * @param clientId the MQTT client id
	 * @param order the order of its latest reply among the clients
	 * @param rank the rank among clients of similar size, see {@link ClientsBySize}
	 * @param replies the replies, oldest first
	 */
	record Copy(String clientId, long order, long rank, Remembered[] replies) {
	}

}
