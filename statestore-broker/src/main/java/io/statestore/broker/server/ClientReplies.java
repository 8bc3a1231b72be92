package io.statestore.broker.server;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.statestore.broker.engine.Answer;
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

	ClientReplies(String clientId) {
		this.clientId = clientId;
	}

	String clientId() {
		return this.clientId;
	}

	@Nullable Remembered find(Bytes correlationData) {
		return this.replies.get(correlationData);
	}

	/** Adds a reply as the newest one. */
	void add(Bytes correlationData, Remembered reply) {
		if (this.replies.remove(correlationData) != null) {
			this.replyBytes -= cost(correlationData);
		}
		this.replies.put(correlationData.compact(), reply);
		this.replyBytes += cost(correlationData);
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
	 * A remembered reply. Only replies to writes and observations are remembered, and
	 * these are small.
	 *
	 * @param connection number of the connection, or {@link RequestMemory#ANY_CONNECTION}
	 * @param digest digest of the request
	 * @param answer the reply
	 * @param since time of the reply, in nanoseconds
	 */
	record Remembered(long connection, int digest, Answer answer, long since) {

		boolean isOlderThan(long nanos, long now) {
			return now - this.since > nanos;
		}

	}

}
