package io.statestore.broker.gateway;

import java.util.List;

import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;

/** Creates the messages that the gateway publishes. */
final class GatewayMessages {

	private static final int REPLY_EXPIRY_SECONDS = 60;

	private GatewayMessages() {
	}

	/** Returns a message to a client. */
	static OwnPublish toClient(OutgoingMessage message, long notificationExpirySeconds) {
		int expirySeconds = (message.kind() == Kind.NOTIFICATION) ? (int) Math.max(1, notificationExpirySeconds)
				: REPLY_EXPIRY_SECONDS;
		return new OwnPublish(message, 1, List.of(), expirySeconds, false);
	}

	/** Returns a message from the gateway to itself, which does not expire. */
	static OwnPublish own(String topic, byte[] payload, boolean retain) {
		OutgoingMessage message = new OutgoingMessage(Kind.NOTIFICATION, topic, payload, null, List.of());
		return new OwnPublish(message, 1, List.of(), 0, retain);
	}

}
