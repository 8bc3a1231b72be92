package io.statestore.client.mqtt.internal;

import java.util.ArrayList;
import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.StringPair;
import io.statestore.client.mqtt.internal.LinkMessage.UserProperty;
import io.statestore.mqtt.OutgoingPublish;
import io.statestore.mqtt.Properties;
import io.statestore.mqtt.Publish;
import io.statestore.mqtt.VariableByteInteger;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** Converts messages from and to packets. Payloads are not copied. */
final class NettyMessages {

	private NettyMessages() {
	}

	static LinkMessage received(Publish publish) {
		List<UserProperty> userProperties = List.of();
		if (!publish.userProperties().isEmpty()) {
			userProperties = new ArrayList<>(publish.userProperties().size());
			for (StringPair pair : publish.userProperties()) {
				userProperties.add(new UserProperty(pair.key, pair.value));
			}
		}
		byte[] correlationData = publish.correlationData();
		return new LinkMessage(publish.topic(), publish.payload(), publish.qos(), publish.isRetained(),
				publish.payloadFormat() == 1, publish.expirySeconds(), publish.contentType(), publish.responseTopic(),
				(correlationData != null) ? Bytes.wrap(correlationData) : null, userProperties);
	}

	/** Returns the first value of a user property, or {@code null} if there is none. */
	static @Nullable String userProperty(List<StringPair> properties, String name) {
		for (StringPair property : properties) {
			if (property.key.equals(name)) {
				return property.value;
			}
		}
		return null;
	}

	/** A message to publish. */
	static final class Outgoing extends OutgoingPublish {

		private final LinkMessage message;

		/**
		 * @throws IllegalArgumentException if MQTT cannot transport the message
		 */
		Outgoing(LinkMessage message) {
			super(message.topic(), message.qos(), message.retained(), message.payload(), sizeOfProperties(message));
			this.message = message;
			if (size(message.topic()) + size() > VariableByteInteger.MAX_VALUE) {
				throw new IllegalArgumentException("MQTT cannot transport a message of " + size() + " bytes");
			}
		}

		private static int size(String text) {
			int size = Properties.size(text);
			if (size > Properties.MAX_SIZE) {
				throw new IllegalArgumentException("MQTT cannot transport a string of " + size + " bytes");
			}
			return size;
		}

		private static int sizeOfProperties(LinkMessage message) {
			int size = message.text() ? 2 : 0;
			size += (message.expirySeconds() != null) ? 5 : 0;
			size += (message.contentType() != null) ? 1 + size(message.contentType()) : 0;
			size += (message.responseTopic() != null) ? 1 + size(message.responseTopic()) : 0;
			size += (message.correlationData() != null) ? 3 + message.correlationData().length() : 0;
			for (UserProperty property : message.userProperties()) {
				size += 1 + size(property.name()) + size(property.value());
			}
			return size;
		}

		LinkMessage message() {
			return this.message;
		}

		@Override
		protected void writeProperties(ByteBuf out) {
			if (this.message.text()) {
				out.writeByte(MqttProperties.PAYLOAD_FORMAT_INDICATOR).writeByte(1);
			}
			Long expirySeconds = this.message.expirySeconds();
			if (expirySeconds != null) {
				out.writeByte(MqttProperties.PUBLICATION_EXPIRY_INTERVAL).writeInt(expirySeconds.intValue());
			}
			String contentType = this.message.contentType();
			if (contentType != null) {
				Properties.write(out, MqttProperties.CONTENT_TYPE, contentType);
			}
			String responseTopic = this.message.responseTopic();
			if (responseTopic != null) {
				Properties.write(out, MqttProperties.RESPONSE_TOPIC, responseTopic);
			}
			Bytes correlationData = this.message.correlationData();
			if (correlationData != null) {
				Properties.write(out, MqttProperties.CORRELATION_DATA, correlationData.toArray());
			}
			for (UserProperty property : this.message.userProperties()) {
				Properties.writeUser(out, property.name(), property.value());
			}
		}

	}

}
