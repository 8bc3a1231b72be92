package io.statestore.broker.server;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.Requester;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Replies to recent requests that are not in the log: to KEYNOTIFY, and to writes that
 * the log could not accept. A redelivered request gets the same reply (protocol section
 * 7), unless its correlation data has been reused since. Limited by age and by memory,
 * except for the latest reply. Used only within the serial executor.
 */
final class RecentReplies {

	static final Duration RETENTION = Duration.ofMinutes(5);

	/** Estimated heap usage of a reply, in bytes, not including its key. */
	private static final int OVERHEAD = 256;

	private final int maxBytes;

	/** Replies, from oldest to newest. */
	private final Map<Key, Remembered> replies = new LinkedHashMap<>();

	private int bytes;

	/**
	 * Creates an empty object.
	 * @param maxBytes maximum estimated heap, in bytes
	 */
	RecentReplies(int maxBytes) {
		this.maxBytes = maxBytes;
	}

	/**
	 * Returns the remembered reply to a redelivered request.
	 * @param now the current time in nanoseconds, with any origin
	 * @return the reply, or {@code null} if none is remembered
	 */
	@Nullable Answer find(Call call, long now) {
		if (this.replies.isEmpty()) {
			return null;
		}
		Remembered reply = this.replies.get(key(call, call.correlationData()));
		return (reply != null && reply.digest == call.digest() && !reply.isExpired(now)) ? reply.answer : null;
	}

	/** Remembers a reply. */
	void add(Call call, Answer answer, long now) {
		Key key = key(call, call.correlationData().compact());
		// Removed first, so that the latest reply comes last.
		if (this.replies.remove(key) == null) {
			this.bytes += cost(key);
		}
		this.replies.put(key, new Remembered(answer, call.digest(), now));
		Iterator<Map.Entry<Key, Remembered>> oldest = this.replies.entrySet().iterator();
		while (this.replies.size() > 1) {
			Map.Entry<Key, Remembered> reply = oldest.next();
			if (this.bytes <= this.maxBytes && !reply.getValue().isExpired(now)) {
				return;
			}
			this.bytes -= cost(reply.getKey());
			oldest.remove();
		}
	}

	int count() {
		return this.replies.size();
	}

	/** Returns the estimated memory of all replies, in bytes. */
	int bytes() {
		return this.bytes;
	}

	private static Key key(Call call, Bytes correlationData) {
		return new Key(call.request().connection().requester(), correlationData);
	}

	private static int cost(Key key) {
		return OVERHEAD + key.requester.length() + key.correlationData.length();
	}

	private record Key(Requester requester, Bytes correlationData) {
	}

	private record Remembered(Answer answer, int digest, long since) {

		boolean isExpired(long now) {
			return now - this.since > RETENTION.toNanos();
		}

	}

}
