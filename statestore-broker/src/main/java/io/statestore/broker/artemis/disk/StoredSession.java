package io.statestore.broker.artemis.disk;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Content of one MQTT session in a {@link SessionFile}. Guarded by the lock of the file.
 */
public final class StoredSession {

	/** Expiry interval of a session that does not expire. */
	public static final int NEVER = -1;

	/** Value of {@link #detachedAt()} while there is a connection. */
	public static final long ATTACHED = -1;

	/** Owner of a session without a login. */
	public static final String ANONYMOUS = "";

	private String owner = ANONYMOUS;

	private int expirySeconds = NEVER;

	private long detachedAt = ATTACHED;

	private final Map<String, StoredSubscription> subscriptions = new HashMap<>();

	private final Set<Integer> received = new HashSet<>();

	private final Map<Integer, SentMessage> sent = new HashMap<>();

	private final Set<Integer> confirmed = new HashSet<>();

	private final Map<Delivery, Integer> packetIds = new HashMap<>();

	StoredSession() {
	}

	/**
	 * Returns the principal that the session belongs to.
	 * @return the name of the principal, or {@link #ANONYMOUS}
	 */
	public String owner() {
		return this.owner;
	}

	/**
	 * Returns the session expiry interval.
	 * @return number of seconds, or {@link #NEVER}
	 */
	public int expirySeconds() {
		return this.expirySeconds;
	}

	/**
	 * Returns the time at which the connection ended.
	 * @return milliseconds of {@link SessionFile#clock()}, or {@link #ATTACHED}
	 */
	public long detachedAt() {
		return this.detachedAt;
	}

	/**
	 * Returns the subscriptions.
	 * @return the subscriptions by their filters in Artemis
	 */
	public Map<String, StoredSubscription> subscriptions() {
		return this.subscriptions;
	}

	/**
	 * Returns the packet identifiers of QoS 2 messages of the client that it has not
	 * released.
	 * @return the identifiers
	 */
	public Set<Integer> received() {
		return this.received;
	}

	/**
	 * Returns the messages whose packet identifiers are in use.
	 * @return the messages by packet identifier
	 */
	public Map<Integer, SentMessage> sent() {
		return Collections.unmodifiableMap(this.sent);
	}

	/**
	 * Returns the packet identifiers of QoS 2 messages that the client has received, and
	 * whose release it has not acknowledged.
	 * @return the identifiers, each of which is that of a sent message
	 */
	public Set<Integer> confirmed() {
		return Collections.unmodifiableSet(this.confirmed);
	}

	/**
	 * Returns the packet identifier with which a message was sent.
	 * @param messageId id of the message in Artemis
	 * @param queue name of the queue of the subscription
	 * @return its identifier, or {@code null} if it was not sent or is acknowledged
	 */
	public @Nullable Integer packetId(long messageId, String queue) {
		return this.packetIds.get(new Delivery(messageId, queue));
	}

	void add(int packetId, SentMessage message) {
		remove(packetId);
		this.sent.put(packetId, message);
		this.packetIds.put(new Delivery(message.messageId(), message.queue()), packetId);
	}

	void confirm(int packetId) {
		if (this.sent.containsKey(packetId)) {
			this.confirmed.add(packetId);
		}
	}

	void remove(int packetId) {
		this.confirmed.remove(packetId);
		SentMessage removed = this.sent.remove(packetId);
		if (removed != null) {
			this.packetIds.remove(new Delivery(removed.messageId(), removed.queue()), packetId);
		}
	}

	void setOwner(String owner) {
		this.owner = owner;
	}

	void set(int expirySeconds, long detachedAt) {
		this.expirySeconds = expirySeconds;
		this.detachedAt = detachedAt;
	}

	/** A message in the queue of a subscription. */
	private record Delivery(long messageId, String queue) {
	}

}
