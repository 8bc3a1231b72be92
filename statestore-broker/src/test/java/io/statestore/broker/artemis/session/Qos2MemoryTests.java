package io.statestore.broker.artemis.session;

import io.statestore.broker.memory.MemoryUse;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory of QoS 2 messages that the client has not released. */
class Qos2MemoryTests extends ClientMemoryTest {

	@Test
	void countsUnreleasedMessagesOfQos2() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("m18", LASTING);
			long before = this.budget.used(MemoryUse.SESSION);
			RawPublish first = client.publish("t", 2, "x");
			client.send(first);
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
			long held = this.budget.used(MemoryUse.SESSION);
			assertThat(held).isGreaterThan(before);
			client.send(first);
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
			assertThat(this.budget.used(MemoryUse.SESSION)).isEqualTo(held);
			client.send(RawControl.acknowledgment(PacketType.PUBREL, first.packetId));
			assertThat(client.receiveReason(PacketType.PUBCOMP)).isZero();
			assertThat(this.budget.used(MemoryUse.SESSION)).isEqualTo(before);
		}
	}

	@Tag("long")
	@Test
	void refusesUnreleasedMessagesAboveLimit() throws Exception {
		try (RawMqttConnection client = client("m19")) {
			int received = 0;
			int reason = 0;
			while (reason == 0) {
				client.send(client.publish("t", 2, "x"));
				reason = client.receiveReason(PacketType.PUBREC);
				assertThat(++received).isLessThan(5_000);
			}
			assertThat(reason).isEqualTo(QUOTA_EXCEEDED);
			client.send(RawControl.acknowledgment(PacketType.PUBREL, 1));
			assertThat(client.receiveReason(PacketType.PUBCOMP)).isZero();
			client.send(client.publish("t", 2, "x"));
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
		}
		awaitReleased();
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
