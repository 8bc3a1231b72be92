package io.statestore.broker.mqtt;

import io.statestore.broker.memory.MemoryUse;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory of QoS 2 messages that the client has not released. */
class Qos2MemoryTests extends ClientMemoryTest {

	@Test
	void countsUnreleasedQos2Messages() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("m18", LASTING);
			await(() -> this.budget.used(MemoryUse.SESSION) > 0, "the memory of the session");
			long before = this.budget.used(MemoryUse.SESSION);
			RawPublish first = client.publish("t", 2, "x");
			client.send(first);
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
			await(() -> this.budget.used(MemoryUse.SESSION) > before, "the memory of the message");
			client.send(first);
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
			client.send(RawControl.acknowledgment(PacketType.PUBREL, first.packetId));
			assertThat(client.receiveReason(PacketType.PUBCOMP)).isZero();
			await(() -> this.budget.used(MemoryUse.SESSION) == before, "the release of the message");
		}
	}

	@Test
	void refusesUnreleasedMessagesAboveSessionLimit() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("m19", LASTING);
			assertThat(subscribe(client, filters("many/%03d", 500))).containsOnly(1);
			int received = 0;
			int reason = 0;
			while (reason == 0) {
				client.send(client.publish("t", 2, "x"));
				reason = client.receiveReason(PacketType.PUBREC);
				assertThat(++received).isLessThan(2_000);
			}
			assertThat(reason).isEqualTo(QUOTA_EXCEEDED);
			assertThat(this.budget.refused(MemoryUse.SESSION)).isOne();
			client.send(RawControl.acknowledgment(PacketType.PUBREL, 2));
			assertThat(client.receiveReason(PacketType.PUBCOMP)).isZero();
			client.send(client.publish("t", 2, "x"));
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
		}
	}

	@Test
	void releasesUnreleasedMessagesWithSession() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("m20", PropertyType.SESSION_EXPIRY_INTERVAL.of(1));
			client.send(client.publish("t", 2, "x"));
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
		}
		awaitReleased();
	}

}
