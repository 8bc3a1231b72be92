package io.statestore.broker.server;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.statestore.broker.engine.Answer;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Replies to recent KEYNOTIFY requests of one connection (protocol section 7). A request
 * that is delivered again does not undo a later one. Limited by age and by memory.
 */
final class RecentReplies {

	static final Duration RETENTION = Duration.ofMinutes(5);

	private static final int MAX_BYTES = 8 * 1024;

	/** Estimated heap of a reply in addition to its correlation data, in bytes. */
	private static final int OVERHEAD = 256;

	private final Map<Bytes, Remembered> replies = new LinkedHashMap<>();

	private int bytes;

	/**
	 * Returns the reply to a request that was received before.
	 * @param call the request
	 * @param now current time in nanoseconds, with any origin
	 * @return the reply, or {@code null} if none is remembered
	 */
	@Nullable Answer find(Call call, long now) {
		Remembered reply = this.replies.get(call.correlationData());
		return (reply != null && reply.digest == call.digest() && now - reply.since <= RETENTION.toNanos())
				? reply.answer : null;
	}

	/** Remembers a reply. */
	void add(Call call, Answer answer, long now) {
		Bytes correlationData = call.correlationData().compact();
		if (this.replies.remove(correlationData) != null) {
			this.bytes -= cost(correlationData);
		}
		this.replies.put(correlationData, new Remembered(call.digest(), answer, now));
		this.bytes += cost(correlationData);
		Iterator<Bytes> oldest = this.replies.keySet().iterator();
		while (this.bytes > MAX_BYTES) {
			this.bytes -= cost(oldest.next());
			oldest.remove();
		}
	}

	int count() {
		return this.replies.size();
	}

	/** Returns the estimated memory of all replies. */
	int bytes() {
		return this.bytes;
	}

	private static int cost(Bytes correlationData) {
		return OVERHEAD + correlationData.length();
	}

	private record Remembered(int digest, Answer answer, long since) {
	}

}
