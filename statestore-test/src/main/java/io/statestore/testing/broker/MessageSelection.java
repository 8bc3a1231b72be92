package io.statestore.testing.broker;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Selection of messages that a fault affects.
 *
 * @param kind the kind of messages
 * @param clientId the client, or {@code null} for every client
 * @param key the key, or {@code null} for every key
 * @param limit the maximum number of messages
 */
record MessageSelection(MessageKind kind, @Nullable String clientId, @Nullable Bytes key, int limit) {

	/** Returns all messages of a kind. */
	static MessageSelection all(MessageKind kind) {
		return new MessageSelection(kind, null, null, Integer.MAX_VALUE);
	}

	MessageSelection ofClient(String clientId) {
		return new MessageSelection(this.kind, clientId, this.key, this.limit);
	}

	MessageSelection ofKey(Bytes key) {
		return new MessageSelection(this.kind, this.clientId, key, this.limit);
	}

	MessageSelection next(int count) {
		return new MessageSelection(this.kind, this.clientId, this.key, count);
	}

	/**
	 * Returns whether this selection contains a message, regardless of the limit.
	 * @param key the key of the message, {@code null} if it has none
	 */
	boolean contains(MessageKind kind, String clientId, @Nullable Bytes key) {
		return this.kind == kind && (this.clientId == null || this.clientId.equals(clientId))
				&& (this.key == null || this.key.equals(key));
	}

}
