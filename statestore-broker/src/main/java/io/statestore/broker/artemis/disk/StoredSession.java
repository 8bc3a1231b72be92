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

	private int expirySeconds = NEVER;

	private long detachedAt = ATTACHED;

	private final Map<String, StoredSubscription> subscriptions = new HashMap<>();

	private final Set<Integer> received = new HashSet<>();

	private final Map<Integer, SentMessage> sent = new HashMap<>();

	private final Map<SentMessage, Integer> packetIds = new HashMap<>();

	StoredSession() {
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
	 * Returns the messages that the client has not acknowledged.
	 * @return the messages by packet identifier
	 */
	public Map<Integer, SentMessage> sent() {
		return Collections.unmodifiableMap(this.sent);
	}

	/**
	 * Returns the packet identifier with which a message was sent.
	 * @param message a message
	 * @return its identifier, or {@code null} if it was not sent or is acknowledged
	 */
	public @Nullable Integer packetId(SentMessage message) {
		return this.packetIds.get(message);
	}

	void add(int packetId, SentMessage message) {
		remove(packetId);
		this.sent.put(packetId, message);
		this.packetIds.put(message, packetId);
	}

	void remove(int packetId) {
		SentMessage removed = this.sent.remove(packetId);
		if (removed != null) {
			this.packetIds.remove(removed, packetId);
		}
	}

	void set(int expirySeconds, long detachedAt) {
		this.expirySeconds = expirySeconds;
		this.detachedAt = detachedAt;
	}

}
