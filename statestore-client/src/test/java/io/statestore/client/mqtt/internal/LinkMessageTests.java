package io.statestore.client.mqtt.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.statestore.client.mqtt.internal.LinkMessage.UserProperty;
import io.statestore.client.mqtt.internal.NettyMessages.Outgoing;
import io.statestore.protocol.Bytes;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.MqttPublish;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class LinkMessageTests {

	private static LinkMessage message(int payload, int qos, @Nullable Long expirySeconds, UserProperty... properties) {
		return new LinkMessage("topic/ä", new byte[payload], qos, false, expirySeconds != null, expirySeconds, "text",
				"reply/ü", Bytes.wrap(new byte[16]), List.of(properties));
	}

	private static int sizeByPaho(LinkMessage message) throws Exception {
		MqttProperties properties = new MqttProperties();
		properties.setPayloadFormat(message.text());
		properties.setMessageExpiryInterval(message.expirySeconds());
		properties.setContentType(message.contentType());
		properties.setResponseTopic(message.responseTopic());
		if (message.correlationData() != null) {
			properties.setCorrelationData(message.correlationData().toArray());
		}
		properties.setUserProperties(new ArrayList<>(message.userProperties()
			.stream()
			.map((property) -> new org.eclipse.paho.mqttv5.common.packet.UserProperty(property.name(),
					property.value()))
			.toList()));
		MqttPublish packet = new MqttPublish(message.topic(),
				new MqttMessage(message.payload(), message.qos(), false, properties), properties);
		return packet.getHeader().length + packet.getPayload().length;
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 40, 60, 127, 128, 16_300, 16_384, 2_097_152 })
	void packetSizeIsThatOfEncodedPacket(int payload) throws Exception {
		LinkMessage plain = new LinkMessage("topic", new byte[payload]);
		LinkMessage full = message(payload, 1, 60L, new UserProperty("name", "välue"), new UserProperty("name", "x"));
		LinkMessage many = message(payload, 0, null,
				Arrays.stream(new int[40]).mapToObj((i) -> new UserProperty("n", "v")).toArray(UserProperty[]::new));
		assertThat(new Outgoing(plain).size()).isEqualTo(sizeByPaho(plain));
		assertThat(new Outgoing(full).size()).isEqualTo(sizeByPaho(full));
		assertThat(new Outgoing(many).size()).isEqualTo(sizeByPaho(many));
	}

	@Test
	void returnsFirstUserPropertyOfName() {
		LinkMessage message = message(0, 1, null, new UserProperty("a", "1"), new UserProperty("b", "2"),
				new UserProperty("a", "3"));
		assertThat(message.userProperty("a")).isEqualTo("1");
		assertThat(message.userProperty("c")).isNull();
	}

}
