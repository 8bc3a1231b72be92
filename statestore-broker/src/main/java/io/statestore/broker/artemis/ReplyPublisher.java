package io.statestore.broker.artemis;

import java.util.List;

import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.UserProperty;
import org.apache.activemq.artemis.api.core.ICoreMessage;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.message.impl.CoreMessage;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTUtil;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.reader.MessageUtil;

/**
 * Publisher of replies for response topics to which the requester has not subscribed.
 * Artemis routes them to the subscribers like ordinary messages. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class ReplyPublisher {

	/**
	 * Sender of the messages. It is not the connection id of any client, so that
	 * subscriptions with the option "no local" receive them.
	 */
	private static final SimpleString SENDER = SimpleString.of("$statestore");

	/** Estimated size of the encoded properties of a message in bytes. */
	private static final int PROPERTIES_SIZE = 512;

	private final ActiveMQServer server;

	/**
	 * Creates a publisher.
	 * @param server the Artemis server
	 */
	public ReplyPublisher(ActiveMQServer server) {
		this.server = server;
	}

	/**
	 * Publishes a reply to the subscribers of its topic.
	 * @param reply the reply
	 * @throws IllegalStateException if Artemis fails to route it
	 */
	public void publish(OutgoingMessage reply) {
		ICoreMessage message = toCore(reply);
		try {
			this.server.getPostOffice().route(message, false);
		}
		catch (Exception ex) {
			throw new IllegalStateException("Failed to publish a reply on topic '" + reply.topic() + "'", ex);
		}
	}

	/** Converts a reply in the way in which Artemis converts an incoming PUBLISH. */
	private ICoreMessage toCore(OutgoingMessage reply) {
		CoreMessage message = new CoreMessage(this.server.getStorageManager().generateID(),
				reply.payload().length + PROPERTIES_SIZE);
		message.setAddress(SimpleString.of(MQTTUtil.getCoreAddressFromMqttTopic(reply.topic(),
				this.server.getConfiguration().getWildcardConfiguration())));
		message.setRoutingType(RoutingType.MULTICAST);
		message.setType(Message.BYTES_TYPE);
		// A restart of the store ends the calls that wait for replies.
		message.setDurable(!this.server.getConfiguration().isPersistenceEnabled() && MQTTUtil.DURABLE_MESSAGES);
		message.setTimestamp(System.currentTimeMillis());
		message.putStringProperty(MessageUtil.CONNECTION_ID_PROPERTY_NAME, SENDER);
		message.putBooleanProperty(MQTTUtil.MQTT_MESSAGE_RETAIN_KEY, false);
		message.putIntProperty(MQTTUtil.MQTT_QOS_LEVEL_KEY, 1);
		message.putIntProperty(MQTTUtil.MQTT_PAYLOAD_FORMAT_INDICATOR_KEY, 0);
		message.putStringProperty(MQTTUtil.MQTT_CONTENT_TYPE_KEY, SimpleString.of(OwnPublish.CONTENT_TYPE));
		if (reply.correlationData() != null) {
			message.putBytesProperty(MQTTUtil.MQTT_CORRELATION_DATA_KEY, reply.correlationData().toArray());
		}
		List<UserProperty> properties = reply.userProperties();
		if (!properties.isEmpty()) {
			message.putIntProperty(MQTTUtil.MQTT_USER_PROPERTY_EXISTS_KEY, properties.size());
		}
		for (int i = 0; i < properties.size(); i++) {
			message.putStringProperty(MQTTUtil.MQTT_USER_PROPERTY_KEY_PREFIX + i + '.' + properties.get(i).name(),
					properties.get(i).value());
		}
		message.getBodyBuffer().writeBytes(reply.payload());
		return message;
	}

}
