package io.statestore.broker.session;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A change to sessions or retained messages, and the content of a log entry. A change
 * other than {@link Connect}, {@link End}, or {@link Expire} names the client's
 * connection, and has no effect once that connection has ended. The exception is a
 * {@link Publish} without a packet identifier, which always takes effect.
 * <p>
 * Internal: not part of the API.
 */
public sealed interface SessionChange {

	/**
	 * Returns this change's estimated heap, in addition to a fixed part.
	 * @return the size in bytes
	 */
	default int cost() {
		if (this instanceof Publish publish) {
			return publish.message().cost() + Delivery.COST * publish.copies();
		}
		if (this instanceof Connect connect) {
			return (connect.will() != null) ? connect.will().message().cost() : 0;
		}
		if (this instanceof Subscribe subscribe) {
			return cost(subscribe.subscriptions().stream().map(Subscription::filter).toList());
		}
		return (this instanceof Unsubscribe unsubscribe) ? cost(unsubscribe.filters()) : 0;
	}

	/**
	 * Returns whether even a power failure must not lose this change, because its client
	 * relies on it as long as the session is present.
	 * @return whether to force the change to disk regardless of the fsync policy
	 */
	default boolean isForced() {
		return this instanceof Subscribe || this instanceof Unsubscribe
				|| this instanceof Connect connect && connect.cleanStart();
	}

	private static int cost(List<String> filters) {
		return filters.stream().mapToInt((filter) -> 128 + filter.length()).sum();
	}

	/** A change to a stored session by its connection. */
	sealed interface OfSession extends SessionChange {

		/**
		 * Returns the client id.
		 * @return the client id of the session
		 */
		String clientId();

		/**
		 * Returns the number of the connection. The change has no effect after the
		 * connection has ended.
		 * @return the connection's number
		 */
		long connection();

	}

	/**
	 * A client connects and continues its session or begins a new session (MQTT 5 section
	 * 3.1.2.4). Ends the client's earlier connection, if any.
	 *
	 * @param clientId id of the client
	 * @param principal name of the principal, empty if the client is anonymous
	 * @param cleanStart whether to end an earlier session
	 * @param expirySeconds Session Expiry Interval
	 * @param will the will, {@code null} if there is none
	 * @param keepsWill whether the will of an earlier connection or session may be
	 * published
	 */
	record Connect(String clientId, String principal, boolean cleanStart, long expirySeconds, @Nullable Will will,
			boolean keepsWill) implements SessionChange {
	}

	/**
	 * A connection ends. Its session is either stored, or has a will.
	 *
	 * @param clientId id of the client
	 * @param connection number of the connection
	 * @param expirySeconds new Session Expiry Interval
	 * @param keepsWill whether to publish the will after its delay
	 */
	record Disconnect(String clientId, long connection, long expirySeconds,
			boolean keepsWill) implements SessionChange {
	}

	/**
	 * A client subscribes to filters.
	 *
	 * @param clientId id of the client
	 * @param connection number of the connection
	 * @param subscriptions the granted subscriptions
	 */
	record Subscribe(String clientId, long connection, List<Subscription> subscriptions) implements OfSession {
	}

	/**
	 * A client unsubscribes from filters.
	 *
	 * @param clientId id of the client
	 * @param connection number of the connection
	 * @param filters the topic filters to unsubscribe from
	 */
	record Unsubscribe(String clientId, long connection, List<String> filters) implements OfSession {
	}

	/**
	 * A message is published.
	 *
	 * @param message the message to publish
	 * @param principal name of the publisher's principal, empty if the client is
	 * anonymous. Matters only for a retained message
	 * @param connection number of the publisher's connection. Matters only with a packet
	 * identifier
	 * @param packetId packet identifier of a message with QoS 2 from a stored session,
	 * otherwise 0
	 * @param members client ids of the shared subscription members that receive the
	 * message, by filter. Contains only stored sessions
	 * @param undelivered whether the message has yet to be delivered to sessions that are
	 * not stored. Not logged
	 * @param copies number of sessions that queue the message. Not logged
	 */
	record Publish(Message message, String principal, long connection, int packetId, Map<String, String> members,
			boolean undelivered, int copies) implements SessionChange {
	}

	/**
	 * A client has sent PUBREL for a message it published.
	 *
	 * @param clientId id of the client
	 * @param connection number of the connection
	 * @param packetId packet identifier
	 */
	record Release(String clientId, long connection, int packetId) implements OfSession {
	}

	/**
	 * A client has acknowledged messages.
	 *
	 * @param clientId id of the client
	 * @param connection number of the connection
	 * @param received {@code true} if it has received QoS 2 messages (PUBREC),
	 * {@code false} if it has completed their delivery (PUBACK, PUBCOMP)
	 * @param numbers the messages' numbers in the session
	 */
	record Acknowledge(String clientId, long connection, boolean received, long[] numbers) implements OfSession {
	}

	/**
	 * An administrator ends a session, whether its client is connected or not.
	 *
	 * @param clientId id of the client
	 * @param keepsWill whether the will is published
	 */
	record End(String clientId, boolean keepsWill) implements SessionChange {
	}

	/**
	 * Ends sessions, publishes wills, and removes retained messages whose time has come.
	 *
	 * @param until log time of the last deadline to handle. Later deadlines remain,
	 * because permission to publish their wills was not checked
	 * @param denied clients whose wills must not be published, because they lack
	 * permission
	 */
	record Expire(long until, List<String> denied) implements SessionChange {
	}

}
