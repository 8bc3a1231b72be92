package io.statestore.broker.server;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.statestore.broker.engine.Answer;
import org.jspecify.annotations.Nullable;

/**
 * Replies to recent requests. A request that is delivered again, even after a reconnect
 * of its client, is not executed again (protocol sections 7 and 10). Replies are limited
 * by age and by memory. If memory is short, the client whose replies use most of it loses
 * its oldest reply. A busy client therefore does not displace the replies of others.
 * <p>
 * Deterministic: the content depends only on the requests, their order, and the times
 * passed with them. Neither a clock nor the heap is read.
 */
final class RequestMemory {

	static final Duration MIN_RETENTION = Duration.ofMinutes(1);

	static final Duration MAX_RETENTION = Duration.ofMinutes(5);

	/** Connection of replies that any connection of the client may receive again. */
	static final long ANY_CONNECTION = 0;

	/** Clients with remembered replies, in the order of their latest one. */
	private final Map<String, ClientReplies> clients = new LinkedHashMap<>();

	private final ClientsBySize bySize = new ClientsBySize();

	private final long maxBytes;

	private long retentionNanos = MIN_RETENTION.toNanos();

	private long bytes;

	private long count;

	private long evicted;

	/**
	 * Creates an empty memory.
	 * @param maxBytes maximum estimated memory of all replies
	 */
	RequestMemory(long maxBytes) {
		this.maxBytes = maxBytes;
	}

	/**
	 * Returns the reply to a request that was received before.
	 * @param call the request
	 * @param connection number of the connection, or {@link #ANY_CONNECTION}
	 * @param now current time in nanoseconds, with any origin
	 * @return the reply, or {@code null} if none is remembered
	 */
	@Nullable Answer find(Call call, long connection, long now) {
		ClientReplies client = this.clients.get(call.request().connection().clientId());
		ClientReplies.Remembered reply = (client != null) ? client.find(call.correlationData()) : null;
		if (reply == null || reply.connection() != connection || reply.digest() != call.digest()
				|| reply.isOlderThan(this.retentionNanos, now)) {
			return null;
		}
		return reply.answer();
	}

	/**
	 * Remembers the reply to a request.
	 * @param call the request
	 * @param connection number of the connection, or {@link #ANY_CONNECTION}
	 * @param answer the reply
	 * @param now current time in nanoseconds; must not decrease
	 */
	void remember(Call call, long connection, Answer answer, long now) {
		Duration expiry = call.request().messageExpiry();
		if (expiry != null) {
			this.retentionNanos = Math.max(this.retentionNanos,
					(expiry.compareTo(MAX_RETENTION) < 0 ? expiry : MAX_RETENTION).toNanos());
		}
		String clientId = call.request().connection().clientId();
		ClientReplies client = this.clients.remove(clientId);
		if (client == null) {
			client = new ClientReplies(clientId);
		}
		this.clients.put(clientId, client);
		long before = client.bytes();
		int replies = client.count();
		client.add(call.correlationData(), new ClientReplies.Remembered(connection, call.digest(), answer, now));
		client.removeOlderThan(this.retentionNanos, now);
		changed(client, before, replies);
		removeIdleClients(now);
		while (this.bytes > this.maxBytes) {
			evict();
		}
	}

	/** Removes clients whose replies have all expired. */
	private void removeIdleClients(long now) {
		Iterator<ClientReplies> idle = this.clients.values().iterator();
		while (idle.hasNext()) {
			ClientReplies client = idle.next();
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

	private void evict() {
		ClientReplies largest = this.bySize.largest();
		long before = largest.bytes();
		int replies = largest.count();
		largest.removeOldest();
		changed(largest, before, replies);
		this.evicted++;
		if (largest.count() == 0) {
			this.clients.remove(largest.clientId());
		}
	}

	private void changed(ClientReplies client, long bytesBefore, int countBefore) {
		this.bytes += client.bytes() - bytesBefore;
		this.count += client.count() - countBefore;
		this.bySize.changed(client, bytesBefore);
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
