package io.statestore.broker.artemis.disk;

/** A change of one session, as it is written to a {@link SessionFile}. */
public sealed interface SessionChange {

	/**
	 * Returns the client whose session changes.
	 * @return id of the client in Artemis
	 */
	String clientId();

	/**
	 * The start of a session, or a change of its expiry or connection.
	 *
	 * @param clientId id of the client in Artemis
	 * @param expirySeconds session expiry interval, or {@link StoredSession#NEVER}
	 * @param detachedAt time at which its connection ended, or
	 * {@link StoredSession#ATTACHED}
	 */
	record Kept(String clientId, int expirySeconds, long detachedAt) implements SessionChange {
	}

	/**
	 * A change of the principal that a session belongs to.
	 *
	 * @param clientId id of the client in Artemis
	 * @param owner name of the principal, or {@link StoredSession#ANONYMOUS}
	 */
	record Owned(String clientId, String owner) implements SessionChange {
	}

	/**
	 * The end of a session.
	 *
	 * @param clientId id of the client in Artemis
	 */
	record Ended(String clientId) implements SessionChange {
	}

	/**
	 * A new or changed subscription.
	 *
	 * @param clientId id of the client in Artemis
	 * @param subscription the subscription
	 */
	record Subscribed(String clientId, StoredSubscription subscription) implements SessionChange {
	}

	/**
	 * The end of a subscription.
	 *
	 * @param clientId id of the client in Artemis
	 * @param filter its topic filter in Artemis
	 */
	record Unsubscribed(String clientId, String filter) implements SessionChange {
	}

	/**
	 * The receipt of a QoS 2 message.
	 *
	 * @param clientId id of the client in Artemis
	 * @param packetId packet identifier of the message
	 */
	record Received(String clientId, int packetId) implements SessionChange {
	}

	/**
	 * The release of a QoS 2 message by its publisher.
	 *
	 * @param clientId id of the client in Artemis
	 * @param packetId packet identifier of the message
	 */
	record Released(String clientId, int packetId) implements SessionChange {
	}

	/**
	 * The delivery of a message to a subscriber.
	 *
	 * @param clientId id of the client in Artemis
	 * @param packetId packet identifier of the delivery
	 * @param message the message
	 */
	record Sent(String clientId, int packetId, SentMessage message) implements SessionChange {
	}

	/**
	 * The receipt of a QoS 2 message by a subscriber. Its packet identifier remains in
	 * use until the subscriber has acknowledged its release.
	 *
	 * @param clientId id of the client in Artemis
	 * @param packetId packet identifier of the delivery
	 */
	record Confirmed(String clientId, int packetId) implements SessionChange {
	}

	/**
	 * The end of a delivery, which makes its packet identifier available.
	 *
	 * @param clientId id of the client in Artemis
	 * @param packetId packet identifier of the delivery
	 */
	record Acknowledged(String clientId, int packetId) implements SessionChange {
	}

	/**
	 * The current time, which belongs to no session.
	 *
	 * @param millis milliseconds of {@link SessionFile#clock()}
	 */
	record Clock(long millis) implements SessionChange {

		@Override
		public String clientId() {
			return "";
		}

	}

}
