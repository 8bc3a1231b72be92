package io.statestore.broker.server;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.statestore.broker.engine.Requester;
import io.statestore.protocol.Bytes;

/**
 * Writes that were refused because the log could not take them. A write that is delivered
 * again, also by the next connection of its client, is refused again (protocol section
 * 7). Limited by age and by memory. Used only within the serial executor.
 */
final class Refusals {

	static final int MAX_BYTES = 4 << 20;

	/** Estimated heap of a refusal in addition to what identifies it, in bytes. */
	private static final int OVERHEAD = 256;

	/** Times of the refusals in nanoseconds, oldest first. */
	private final Map<Key, Long> refusals = new LinkedHashMap<>();

	private long bytes;

	/**
	 * Returns whether a write was refused before.
	 * @param now the current time in nanoseconds, with any origin
	 */
	boolean contains(Call call, long now) {
		if (this.refusals.isEmpty()) {
			return false;
		}
		Long since = this.refusals.get(key(call, call.correlationData()));
		return since != null && !isExpired(since, now);
	}

	/** Remembers a refused write. */
	void add(Call call, long now) {
		Key key = key(call, call.correlationData().compact());
		// Removed first, so that the latest refusal is the last one in the order.
		if (this.refusals.remove(key) == null) {
			this.bytes += cost(key);
		}
		this.refusals.put(key, now);
		Iterator<Map.Entry<Key, Long>> oldest = this.refusals.entrySet().iterator();
		while (oldest.hasNext()) {
			Map.Entry<Key, Long> refusal = oldest.next();
			if (this.bytes <= MAX_BYTES && !isExpired(refusal.getValue(), now)) {
				return;
			}
			this.bytes -= cost(refusal.getKey());
			oldest.remove();
		}
	}

	private static boolean isExpired(long since, long now) {
		return now - since > RecentReplies.RETENTION.toNanos();
	}

	private static Key key(Call call, Bytes correlationData) {
		return new Key(call.request().connection().requester(), correlationData, call.digest());
	}

	private static int cost(Key key) {
		return OVERHEAD + key.requester.length() + key.correlationData.length();
	}

	private record Key(Requester requester, Bytes correlationData, int digest) {
	}

}
