package io.statestore.broker.server;

import java.util.List;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A reply or notification on its way to one client.
 *
 * @param kind which of the two it is
 * @param topic the response topic of the request, or the topic of the notification
 * @param payload the payload; not to be changed
 * @param correlationData echoed from the request; {@code null} in notifications
 * @param userProperties in order
 */
public record OutgoingMessage(Kind kind, String topic, byte[] payload, @Nullable Bytes correlationData,
		List<UserProperty> userProperties) {

	/** Kind of a message. */
	public enum Kind {

		/**
		 * Reply to a request: an ordinary message to the subscribers of the response
		 * topic.
		 */
		REPLY,

		/**
		 * Change of an observed key, sent to its observer whether or not it subscribed.
		 */
		NOTIFICATION

	}

}
