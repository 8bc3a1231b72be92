package io.statestore.broker.conformance;

import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Permissions of clients whose sessions outlive their connections. */
@ResourceLock("audit log")
class StoredSessionPermissionTests {

	private static final String RULES = """
			user ada read,write topic #
			user bob read,write topic plant/#
			""";

	private static final String WITHOUT_BOB = "user ada read,write topic #";

	private final TestAuthorizer authorizer = new TestAuthorizer(RULES);

	@SuppressWarnings("NullAway.Init") // Set by startBroker().
	@AutoClose
	private StateStoreBroker broker;

	@BeforeEach
	void startBroker() {
		this.broker = StateStoreBroker.builder()
			.authenticator(TestLogins.AUTHENTICATOR)
			.anonymous(AnonymousAccess.LOOPBACK)
			.authorizer(this.authorizer)
			.start();
	}

	@ParameterizedTest
	@CsvSource({ "5, 1", "5, 2", "4, 1", "4, 2" })
	void completesDeniedMessagesInStoredSession(int version, int qos) throws Exception {
		try (RawMqttConnection ada = connect("ada.source", version)) {
			try (RawMqttConnection bob = connect("bob.sink", version)) {
				bob.subscribed("plant/#", qos);
			}
			for (int i = 0; i < 100; i++) {
				publish(ada, "plant/a", qos, "denied");
			}
			this.authorizer.change(WITHOUT_BOB);
			try (RawMqttConnection bob = connect("bob.sink", version)) {
				bob.ping();
				publish(ada, "plant/a", qos, "denied, too");
				bob.ping();
				// A DISCONNECT completes these changes before the next connection takes
				// over.
				bob.sendBytes((byte) 0xE0, (byte) 0);
				bob.readToEnd();
			}
			this.authorizer.change(RULES);
			try (RawMqttConnection bob = connect("bob.sink", version)) {
				publish(ada, "plant/a", qos, "permitted");
				assertThat(bob.receivePublish().text()).isEqualTo("permitted");
			}
		}
	}

	@ParameterizedTest
	@CsvSource({ "5, 135, 143", "4, 128, 128" })
	void answersEachFilter(int version, int denied, int invalid) throws Exception {
		try (RawMqttConnection bob = connect("bob.filters", version)) {
			bob.send(bob.subscribe(List.of("other", "plant/a", "#", "plant/+/b", "a/".repeat(200))));
			assertThat(bob.receive(PacketType.SUBACK).reasons()).containsExactly(denied, 1, denied, 1, invalid);
			bob.send(bob.subscribe(List.of("other", "#")));
			assertThat(bob.receive(PacketType.SUBACK).reasons()).containsExactly(denied, denied);
		}
	}

	@Test
	void deniedRepetitionReleasesPacketId() throws Exception {
		try (RawMqttConnection ada = connect("ada.sink", RawPacket.MQTT_5)) {
			ada.subscribed("plant/#", 0);
			RawPublish publish;
			try (RawMqttConnection bob = connect("bob.source", RawPacket.MQTT_5)) {
				publish = bob.publish("plant/a", 2, "first");
				bob.send(publish);
				assertThat(bob.receiveReason(PacketType.PUBREC)).isLessThan(0x80);
			}
			assertThat(ada.receivePublish().text()).isEqualTo("first");
			this.authorizer.change(WITHOUT_BOB);
			try (RawMqttConnection bob = connect("bob.source", RawPacket.MQTT_5)) {
				publish.dup = true;
				bob.send(publish);
				assertThat(bob.receiveReason(PacketType.PUBREC)).isEqualTo(0x87);
				this.authorizer.change(RULES);
				RawPublish second = bob.publish("plant/a", 2, "second");
				second.packetId = publish.packetId;
				bob.send(second);
				assertThat(bob.receiveReason(PacketType.PUBREC)).isZero();
				assertThat(ada.receivePublish().text()).isEqualTo("second");
			}
		}
	}

	private RawMqttConnection connect(String clientId, int version) throws Exception {
		RawMqttConnection client = new RawMqttConnection(this.broker.port());
		RawConnect connect = (version == RawPacket.MQTT_5)
				? TestLogins.connect(clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(100L))
				: TestLogins.connect(clientId).version(version);
		assertThat(client.connect(connect.cleanStart(false)).reason()).isZero();
		return client;
	}

	private static void publish(RawMqttConnection client, String topic, int qos, String payload) throws Exception {
		client.send(client.publish(topic, qos, payload));
		assertThat(client.receiveReason((qos == 1) ? PacketType.PUBACK : PacketType.PUBREC)).isLessThan(0x80);
	}

}
