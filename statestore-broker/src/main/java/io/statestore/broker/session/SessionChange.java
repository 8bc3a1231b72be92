package io.statestore.broker.session;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A change to sessions or retained messages, and the content of a log entry. A change
 * other than {@link Connect}, {@link End}, or {@link Expire} names the client's
 * connection, and has no effect once that connection has ended or been taken over. The
 * exception is a {@link Publish} without a packet identifier, which always takes effect.
 * <p>
 * Internal: not part of the API.
 */
public sealed interface SessionChange {

	/**
	 * Returns the heap of this change.
	 * @return estimated bytes, without a fixed part
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
	 * Returns whether a client relies on this change as long as its session is present,
	 * so that even a power failure must not lose it.
	 * @return whether to force it to the disk, whatever the policy
	 */
	default boolean isForced() {
		return this instanceof Subscribe || this instanceof Unsubscribe
				|| this instanceof Connect connect && connect.cleanStart();
	}

	private static int cost(List<String> filters) {
		return filters.stream().mapToInt((filter) -> 128 + filter.length()).sum();
	}

	/** A change of a stored session by its connection. */
	sealed interface OfSession extends SessionChange {

		/**
		 * Returns the client id.
		 * @return the client id
		 */
		String clientId();

		/**
		 * Returns the number of the connection. The change has no effect after its end.
		 * @return the number
		 */
		long connection();

	}

	/**
	 * A client connects: continues its session or begins one (MQTT 5 section 3.1.2.4).
	 * Ends an earlier connection of the client.
	 *
	 * @param clientId client id
	 * @param principal name of the principal, empty if the client is anonymous
	 * @param cleanStart whether an earlier session ends
	 * @param expirySeconds Session Expiry Interval
	 * @param will the will, {@code null} if there is none
	 * @param keepsWill whether a will of the earlier connection or session may be
	 * published
	 */
	record Connect(String clientId, String principal, boolean cleanStart, long expirySeconds, @Nullable Will will,
			boolean keepsWill) implements SessionChange {
	}

	/**
	 * A connection ends. Its session may be one that is not stored, but has a will.
	 *
	 * @param clientId client id
	 * @param connection number of the connection
	 * @param expirySeconds Session Expiry Interval from now on
	 * @param keepsWill whether the will is published after its delay
	 */
	record Disconnect(String clientId, long connection, long expirySeconds,
			boolean keepsWill) implements SessionChange {
	}

	/**
	 * A client subscribes.
	 *
	 * @param clientId client id
	 * @param connection number of the connection
	 * @param subscriptions the granted subscriptions
	 */
	record Subscribe(String clientId, long connection, List<Subscription> subscriptions) implements OfSession {
	}

	/**
	 * A client unsubscribes.
	 *
	 * @param clientId client id
	 * @param connection number of the connection
	 * @param filters topic filters
	 */
	record Unsubscribe(String clientId, long connection, List<String> filters) implements OfSession {
	}

	/**
	 * A message is published.
	 *
	 * @param message the message
	 * @param principal name of the principal that publishes it, empty if the client is
	 * anonymous. Matters for a retained message only
	 * @param connection number of the publisher's connection. Matters with a packet
	 * identifier only
	 * @param packetId packet identifier of a message with QoS 2 from a stored session,
	 * otherwise 0
	 * @param members client ids of the members that receive the message, by the filter of
	 * their shared subscription. Contains stored sessions only
	 * @param undelivered whether it is still to be delivered to sessions that are not
	 * stored. Not part of the log
	 * @param copies number of sessions that queue the message. Not part of the log
	 */
	record Publish(Message message, String principal, long connection, int packetId, Map<String, String> members,
			boolean undelivered, int copies) implements SessionChange {
	}

	/**
	 * A client has sent PUBREL.
	 *
	 * @param clientId client id
	 * @param connection number of the connection
	 * @param packetId packet identifier
	 */
	record Release(String clientId, long connection, int packetId) implements OfSession {
	}

	/**
	 * A client has acknowledged messages.
	 *
	 * @param clientId client id
	 * @param connection number of the connection
	 * @param received whether it has received messages with QoS 2 (PUBREC), otherwise it
	 * has completed their delivery (PUBACK, PUBCOMP)
	 * @param numbers numbers of the messages
	 */
	record Acknowledge(String clientId, long connection, boolean received, long[] numbers) implements OfSession {
	}

	/**
	 * An administrator ends a session, whether its client is connected or not.
	 *
	 * @param clientId client id
	 * @param keepsWill whether the will is published
	 */
	record End(String clientId, boolean keepsWill) implements SessionChange {
	}

	/**
	 * Sessions end, wills are published, and retained messages are removed whose time has
	 * come.
	 *
	 * @param until log time. Later deadlines remain, because the permissions to publish
	 * their wills were not checked
	 * @param denied clients whose wills are not published, because they may not
	 */
	record Expire(long until, List<String> denied) implements SessionChange {
	}

}
