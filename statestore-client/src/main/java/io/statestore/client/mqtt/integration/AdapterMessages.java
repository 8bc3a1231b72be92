package io.statestore.client.mqtt.integration;

import java.util.List;

import io.netty.handler.codec.mqtt.MqttProperties.StringPair;
import io.statestore.client.mqtt.internal.LinkMessage;
import io.statestore.mqtt.ClientPackets;
import io.statestore.mqtt.Publish;
import io.statestore.protocol.Bytes;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.UserProperty;

/** Converts messages from and to the classes of Paho. Payloads are not copied. */
final class AdapterMessages {

	private AdapterMessages() {
	}

	/** Converts a message to publish. */
	static LinkMessage toLink(String topic, MqttMessage message) {
		MqttProperties properties = message.getProperties();
		byte[] correlationData = properties.getCorrelationData();
		List<UserProperty> userProperties = properties.getUserProperties();
		return new LinkMessage(topic, message.getPayload(), message.getQos(), message.isRetained(),
				properties.getPayloadFormat(), properties.getMessageExpiryInterval(), properties.getContentType(),
				properties.getResponseTopic(), (correlationData != null) ? Bytes.wrap(correlationData) : null,
				(userProperties == null) ? List.of()
						: userProperties.stream()
							.map((property) -> new LinkMessage.UserProperty(property.getKey(), property.getValue()))
							.toList());
	}

	/** Returns the properties of a SUBSCRIBE or UNSUBSCRIBE, 0 for no identifier. */
	static io.netty.handler.codec.mqtt.MqttProperties requestProperties(MqttProperties requested, int identifier) {
		var properties = new io.netty.handler.codec.mqtt.MqttProperties();
		if (identifier != 0) {
			properties.add(ClientPackets.property(io.netty.handler.codec.mqtt.MqttProperties.SUBSCRIPTION_IDENTIFIER,
					identifier));
		}
		if (requested.getUserProperties() != null) {
			requested.getUserProperties()
				.forEach((property) -> properties.add(new io.netty.handler.codec.mqtt.MqttProperties.UserProperty(
						property.getKey(), property.getValue())));
		}
		return properties;
	}

	/** Converts a received message. */
	static MqttMessage toPaho(Publish publish) {
		MqttProperties properties = new MqttProperties();
		properties.setPayloadFormat(publish.payloadFormat() == 1);
		properties.setMessageExpiryInterval(publish.expirySeconds());
		properties.setContentType(publish.contentType());
		try {
			properties.setResponseTopic(publish.responseTopic());
		}
		catch (IllegalArgumentException ex) {
			// The topic is empty or has wildcards, so the receiver cannot reply.
		}
		properties.setCorrelationData(publish.correlationData());
		properties.setSubscriptionIdentifiers(publish.subscriptionIdentifiers());
		for (StringPair pair : publish.userProperties()) {
			properties.getUserProperties().add(new UserProperty(pair.key, pair.value));
		}
		MqttMessage message = new MqttMessage(publish.payload(), publish.qos(), publish.isRetained(), properties);
		message.setId(publish.packetId());
		message.setDuplicate(publish.isRepeated());
		return message;
	}

}
