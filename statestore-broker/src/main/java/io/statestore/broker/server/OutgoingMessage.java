package io.statestore.broker.server;

import java.util.List;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A reply or notification to a client.
 *
 * @param kind the kind of message
 * @param topic the response topic of the request, or the topic of the notification
 * @param payload the payload, which must not be changed
 * @param correlationData the correlation data of the request, {@code null} in
 * notifications
 * @param userProperties the user properties in their order
 */
public record OutgoingMessage(Kind kind, String topic, byte[] payload, @Nullable Bytes correlationData,
		List<UserProperty> userProperties) {

	/** Kind of a message. */
	public enum Kind {

		/**
		 * A reply to a request: an ordinary message to the subscribers of the response
		 * topic.
		 */
		REPLY,

		/**
		 * A change of an observed key, sent to its observer whether or not it has
		 * subscribed.
		 */
		NOTIFICATION

	}

}
