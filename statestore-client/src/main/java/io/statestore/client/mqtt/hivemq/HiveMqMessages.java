package io.statestore.client.mqtt.hivemq;

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
import io.statestore.client.mqtt.link.LinkMessage;
import io.statestore.client.mqtt.link.LinkMessage.UserProperty;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Converts messages from and to the classes of the HiveMQ client. Payloads are not
 * copied. Texts that recur in every message are validated and encoded once. Thread-safe.
 */
final class HiveMqMessages {

	/** Maximum number of remembered topics, and of other texts. */
	private static final int MAX_KNOWN = 64;

	private final Map<String, MqttTopic> topics = new ConcurrentHashMap<>();

	/** Content types and names of user properties. */
	private final Map<String, MqttUtf8String> texts = new ConcurrentHashMap<>();

	/** Converts a message to publish, with QoS 1. */
	Mqtt5Publish toHiveMq(LinkMessage message) {
		Mqtt5PublishBuilder.Complete builder = Mqtt5Publish.builder()
			.topic(topic(message.topic()))
			.qos(MqttQos.AT_LEAST_ONCE)
			.retain(message.retained())
			.payload(message.payload());
		Bytes correlationData = message.correlationData();
		if (correlationData != null) {
			builder.correlationData(correlationData.toArray());
		}
		if (message.responseTopic() != null) {
			builder.responseTopic(topic(message.responseTopic()));
		}
		if (message.contentType() != null) {
			builder.contentType(text(message.contentType()));
		}
		if (message.text()) {
			builder.payloadFormatIndicator(Mqtt5PayloadFormatIndicator.UTF_8);
		}
		if (message.expirySeconds() != null) {
			builder.messageExpiryInterval(message.expirySeconds());
		}
		List<UserProperty> userProperties = message.userProperties();
		if (!userProperties.isEmpty()) {
			List<Mqtt5UserProperty> converted = new ArrayList<>(userProperties.size());
			for (UserProperty property : userProperties) {
				converted.add(Mqtt5UserProperty.of(text(property.name()), MqttUtf8String.of(property.value())));
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

	static LinkMessage fromHiveMq(Mqtt5Publish publish) {
		List<? extends Mqtt5UserProperty> userProperties = publish.getUserProperties().asList();
		List<UserProperty> converted = List.of();
		if (!userProperties.isEmpty()) {
			converted = new ArrayList<>(userProperties.size());
			for (Mqtt5UserProperty property : userProperties) {
				converted.add(new UserProperty(property.getName().toString(), property.getValue().toString()));
			}
		}
		return new LinkMessage(publish.getTopic().toString(), publish.getPayloadAsBytes(), publish.getQos().getCode(),
				publish.isRetain(),
				publish.getPayloadFormatIndicator().orElse(null) == Mqtt5PayloadFormatIndicator.UTF_8,
				publish.getMessageExpiryInterval().isPresent() ? publish.getMessageExpiryInterval().getAsLong() : null,
				toString(publish.getContentType().orElse(null)), toString(publish.getResponseTopic().orElse(null)),
				toBytes(publish.getCorrelationData().orElse(null)), converted);
	}

	/** Returns the first value of a user property, or {@code null} if there is none. */
	static @Nullable String userProperty(Mqtt5UserProperties properties, String name) {
		for (Mqtt5UserProperty property : properties.asList()) {
			if (property.getName().toString().equals(name)) {
				return property.getValue().toString();
			}
		}
		return null;
	}

	private static @Nullable String toString(@Nullable MqttUtf8String text) {
		return (text != null) ? text.toString() : null;
	}

	private static @Nullable Bytes toBytes(@Nullable ByteBuffer buffer) {
		if (buffer == null) {
			return null;
		}
		byte[] bytes = new byte[buffer.remaining()];
		buffer.duplicate().get(bytes);
		return Bytes.wrap(bytes);
	}

}
