package io.statestore.client.mqtt;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.datatypes.MqttTopic;
import com.hivemq.client.mqtt.datatypes.MqttUtf8String;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperties;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperty;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PayloadFormatIndicator;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishBuilder;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.UserProperty;

/**
 * Messages in the form of either library. What is the same in every message is checked
 * and encoded once. Safe for use by several threads.
 */
final class HiveMqMessages {

	/** Topics, content types and names of properties; there are a handful. */
	private static final int MAX_KNOWN = 64;

	private final Map<String, MqttTopic> topics = new ConcurrentHashMap<>();

	private final Map<String, MqttUtf8String> texts = new ConcurrentHashMap<>();

	Mqtt5Publish toHiveMq(String topic, MqttMessage message) {
		MqttProperties properties = message.getProperties();
		Mqtt5PublishBuilder.Complete builder = Mqtt5Publish.builder()
			.topic(topic(topic))
			.qos(MqttQos.AT_LEAST_ONCE)
			.payload(message.getPayload())
			.correlationData(properties.getCorrelationData());
		if (properties.getResponseTopic() != null) {
			builder.responseTopic(topic(properties.getResponseTopic()));
		}
		if (properties.getContentType() != null) {
			builder.contentType(text(properties.getContentType()));
		}
		if (properties.getPayloadFormat()) {
			builder.payloadFormatIndicator(Mqtt5PayloadFormatIndicator.UTF_8);
		}
		if (properties.getMessageExpiryInterval() != null) {
			builder.messageExpiryInterval(properties.getMessageExpiryInterval());
		}
		List<UserProperty> userProperties = properties.getUserProperties();
		if (userProperties != null && !userProperties.isEmpty()) {
			List<Mqtt5UserProperty> converted = new ArrayList<>(userProperties.size());
			for (UserProperty property : userProperties) {
				converted.add(Mqtt5UserProperty.of(text(property.getKey()), MqttUtf8String.of(property.getValue())));
			}
			builder.userProperties(Mqtt5UserProperties.of(converted));
		}
		return builder.build();
	}

	private MqttTopic topic(String topic) {
		MqttTopic result = this.topics.get(topic);
		if (result == null) {
			result = MqttTopic.of(topic);
			if (this.topics.size() < MAX_KNOWN) {
				this.topics.put(topic, result);
			}
		}
		return result;
	}

	private MqttUtf8String text(String text) {
		MqttUtf8String result = this.texts.get(text);
		if (result == null) {
			result = MqttUtf8String.of(text);
			if (this.texts.size() < MAX_KNOWN) {
				this.texts.put(text, result);
			}
		}
		return result;
	}

	static MqttMessage toPaho(Mqtt5Publish publish) {
		MqttProperties properties = new MqttProperties();
		publish.getCorrelationData().ifPresent((data) -> properties.setCorrelationData(bytes(data)));
		publish.getResponseTopic().ifPresent((topic) -> properties.setResponseTopic(topic.toString()));
		publish.getContentType().ifPresent((type) -> properties.setContentType(type.toString()));
		publish.getMessageExpiryInterval().ifPresent(properties::setMessageExpiryInterval);
		publish.getPayloadFormatIndicator()
			.ifPresent((format) -> properties.setPayloadFormat(format == Mqtt5PayloadFormatIndicator.UTF_8));
		List<? extends Mqtt5UserProperty> userProperties = publish.getUserProperties().asList();
		if (!userProperties.isEmpty()) {
			List<UserProperty> converted = new ArrayList<>(userProperties.size());
			for (Mqtt5UserProperty property : userProperties) {
				converted.add(new UserProperty(property.getName().toString(), property.getValue().toString()));
			}
			properties.setUserProperties(converted);
		}
		return new MqttMessage(publish.getPayloadAsBytes(), publish.getQos().getCode(), publish.isRetain(), properties);
	}

	private static byte[] bytes(ByteBuffer buffer) {
		byte[] bytes = new byte[buffer.remaining()];
		buffer.duplicate().get(bytes);
		return bytes;
	}

}
