package io.statestore.broker.artemis.session;

import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.mqtt.RawClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory of QoS 2 messages that the client has not released. */
class Qos2MemoryTests extends ClientMemoryTest {

	@Test
	void countsUnreleasedMessagesOfQos2() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("m18", LASTING);
			long before = this.budget.used(MemoryUse.SESSION);
			MqttPublishMessage first = client.publish("t", 2, "x");
			client.send(first.copy());
			assertThat(client.receiveReason(MqttMessageType.PUBREC)).isZero();
			long held = this.budget.used(MemoryUse.SESSION);
			assertThat(held).isGreaterThan(before);
			client.send(first);
			assertThat(client.receiveReason(MqttMessageType.PUBREC)).isZero();
			assertThat(this.budget.used(MemoryUse.SESSION)).isEqualTo(held);
			client.send(client.reply(MqttMessageType.PUBREL, first.variableHeader().packetId()));
			assertThat(client.receiveReason(MqttMessageType.PUBCOMP)).isZero();
			assertThat(this.budget.used(MemoryUse.SESSION)).isEqualTo(before);
		}
	}

	@Test
	void refusesUnreleasedMessagesAboveLimit() throws Exception {
		try (RawClient client = client("m19")) {
			int received = 0;
			int reason = 0;
			while (reason == 0) {
				client.send(client.publish("t", 2, "x"));
				reason = client.receiveReason(MqttMessageType.PUBREC);
				assertThat(++received).isLessThan(5_000);
			}
			assertThat(reason).isEqualTo(QUOTA_EXCEEDED);
			client.send(client.reply(MqttMessageType.PUBREL, 1));
			assertThat(client.receiveReason(MqttMessageType.PUBCOMP)).isZero();
			client.send(client.publish("t", 2, "x"));
			assertThat(client.receiveReason(MqttMessageType.PUBREC)).isZero();
		}
		awaitReleased();
	}

	@Test
	void releasesUnreleasedMessagesWithSession() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("m20", RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 1));
			client.send(client.publish("t", 2, "x"));
			assertThat(client.receiveReason(MqttMessageType.PUBREC)).isZero();
		}
		awaitReleased();
	}

}
