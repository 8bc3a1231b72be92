package io.statestore.client.mqtt.internal;

import java.util.ArrayList;
import java.util.List;

import io.statestore.client.mqtt.internal.Link.LinkMessage;
import io.statestore.protocol.Bytes;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.UserProperty;
import org.jspecify.annotations.Nullable;

/** Converts messages from and to the classes of Paho. Payloads are not copied. */
final class PahoMessages {

	private PahoMessages() {
	}

	/** Converts a message to publish, with QoS 1. */
	static MqttMessage toPaho(LinkMessage message) {
		MqttProperties properties = new MqttProperties();
		properties.setPayloadFormat(message.text());
		properties.setMessageExpiryInterval(message.expirySeconds());
		properties.setContentType(message.contentType());
		properties.setResponseTopic(message.responseTopic());
		Bytes correlationData = message.correlationData();
		if (correlationData != null) {
			properties.setCorrelationData(correlationData.toArray());
		}
		List<LinkMessage.UserProperty> userProperties = message.userProperties();
		if (!userProperties.isEmpty()) {
			List<UserProperty> converted = new ArrayList<>(userProperties.size());
			for (LinkMessage.UserProperty property : userProperties) {
				converted.add(new UserProperty(property.name(), property.value()));
			}
			properties.setUserProperties(converted);
		}
		return new MqttMessage(message.payload(), 1, message.retained(), properties);
	}

	static LinkMessage fromPaho(String topic, MqttMessage message) {
		MqttProperties properties = message.getProperties();
		byte[] correlationData = properties.getCorrelationData();
		List<UserProperty> userProperties = properties.getUserProperties();
		List<LinkMessage.UserProperty> converted = List.of();
		if (userProperties != null && !userProperties.isEmpty()) {
			converted = new ArrayList<>(userProperties.size());
			for (UserProperty property : userProperties) {
				converted.add(new LinkMessage.UserProperty(property.getKey(), property.getValue()));
			}
		}
		return new LinkMessage(topic, message.getPayload(), message.getQos(), message.isRetained(),
				properties.getPayloadFormat(), properties.getMessageExpiryInterval(), properties.getContentType(),
				properties.getResponseTopic(), (correlationData != null) ? Bytes.wrap(correlationData) : null,
				converted);
	}

	/** Returns the first value of a user property, or {@code null} if there is none. */
	static @Nullable String userProperty(MqttProperties properties, String name) {
		List<UserProperty> userProperties = properties.getUserProperties();
		if (userProperties != null) {
			for (UserProperty property : userProperties) {
				if (property.getKey().equals(name)) {
					return property.getValue();
				}
			}
		}
		return null;
	}

}
