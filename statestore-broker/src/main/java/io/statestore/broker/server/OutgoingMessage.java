package io.statestore.broker.server;

import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * A reply or notification to a client.
 *
 * @param kind the kind of message
 * @param topic the response topic of the request, or the topic of the notification
 * @param payload the payload, which must not be changed
 * @param correlationData the correlation data of the request, {@code null} in
 * notifications
 * @param userProperties the user properties, in packet order
 */
public record OutgoingMessage(Kind kind, String topic, byte[] payload, @Nullable Bytes correlationData,
		List<UserProperty> userProperties) {

	/**
	 * Returns this message without its trace context, for a receiver that does not accept
	 * a packet of the original size.
	 * @return a smaller message, or this message if it has no trace context
	 */
	public OutgoingMessage withoutTraceContext() {
		List<UserProperty> others = this.userProperties.stream()
			.filter((property) -> !TraceContext.isField(property.name()))
			.toList();
		return (others.size() < this.userProperties.size())
				? new OutgoingMessage(this.kind, this.topic, this.payload, this.correlationData, others) : this;
	}

	/** The kinds of messages. */
	public enum Kind {

		/**
		 * A reply to a request: an ordinary message to the subscribers of the response
		 * topic.
		 */
		REPLY,

		/**
		 * A change of a watched key, sent to its watcher whether or not it has
		 * subscribed.
		 */
		NOTIFICATION

	}

}
