package io.statestore.broker.session;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A change of sessions or retained messages: what an entry of the log contains.
 * <p>
 * Internal: not part of the API.
 */
public sealed interface SessionChange {

	/**
	 * A client connects: continues its session or begins one (MQTT 5 section 3.1.2.4).
	 *
	 * @param clientId client id
	 * @param principal name of the principal, empty if the client is anonymous
	 * @param cleanStart whether an earlier session ends
	 * @param expirySeconds Session Expiry Interval
	 * @param receiveMaximum Receive Maximum of the client
	 * @param will the will, {@code null} if there is none
	 */
	record Connect(String clientId, String principal, boolean cleanStart, long expirySeconds, int receiveMaximum,
			@Nullable Will will) implements SessionChange {
	}

	/**
	 * A connection ends.
	 *
	 * @param clientId client id
	 * @param expirySeconds Session Expiry Interval from now on
	 * @param keepsWill whether the will is published after its delay
	 */
	record Disconnect(String clientId, long expirySeconds, boolean keepsWill) implements SessionChange {
	}

	/**
	 * A client subscribes.
	 *
	 * @param clientId client id
	 * @param subscriptions the granted subscriptions
	 */
	record Subscribe(String clientId, List<Subscription> subscriptions) implements SessionChange {
	}

	/**
	 * A client unsubscribes.
	 *
	 * @param clientId client id
	 * @param filters topic filters
	 */
	record Unsubscribe(String clientId, List<String> filters) implements SessionChange {
	}

	/**
	 * A message is published.
	 *
	 * @param message the message
	 * @param packetId packet identifier of a message with QoS 2 whose publisher has a
	 * session that outlives its connection, otherwise 0
	 * @param members client ids of the members that receive the message, by the filter of
	 * their shared subscription. Contains sessions that outlive their connections only
	 */
	record Publish(Message message, int packetId, Map<String, String> members) implements SessionChange {
	}

	/**
	 * A client has sent PUBREL.
	 *
	 * @param clientId client id
	 * @param packetId packet identifier
	 */
	record Release(String clientId, int packetId) implements SessionChange {
	}

	/**
	 * A client has acknowledged messages.
	 *
	 * @param clientId client id
	 * @param received whether it has received messages with QoS 2 (PUBREC), otherwise it
	 * has completed their delivery (PUBACK, PUBCOMP)
	 * @param numbers numbers of the messages
	 */
	record Acknowledge(String clientId, boolean received, long[] numbers) implements SessionChange {
	}

	/**
	 * Sessions expire and wills are published.
	 *
	 * @param denied clients whose wills are not published, because they may not
	 */
	record Expire(List<String> denied) implements SessionChange {
	}

}
