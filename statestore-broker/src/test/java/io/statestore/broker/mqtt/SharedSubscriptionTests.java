package io.statestore.broker.mqtt;

import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Shared subscriptions whose members come and go. */
class SharedSubscriptionTests extends MqttBrokerTest {

	@Test
	void refusesLongGroupName() throws Exception {
		try (RawMqttConnection client = client("c")) {
			client.subscribed("$share/" + "g".repeat(256) + "/t", 1);
			client.send(client.subscribe("$share/" + "g".repeat(257) + "/t", 1));
			assertThat(client.receiveReason(PacketType.SUBACK)).isEqualTo(0x8F);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void continuesForDisconnectedMember(boolean unsubscribes) throws Exception {
		RawProperty lasting = PropertyType.SESSION_EXPIRY_INTERVAL.of(100);
		try (RawMqttConnection member = new RawMqttConnection(this.broker.port())) {
			member.connect("s5", lasting);
			member.subscribed("$share/g/t", 1);
		}
		try (RawMqttConnection other = client("s6")) {
			other.subscribed("$share/g/t", 1);
			if (unsubscribes) {
				other.unsubscribed("$share/g/t");
			}
			else {
				other.send(RawControl.disconnect(0));
				other.assertClosed();
			}
			try (RawMqttConnection publisher = client("p");
					RawMqttConnection member = new RawMqttConnection(this.broker.port())) {
				publisher.send(publisher.publish("t", 1, "x"));
				assertThat(publisher.receiveReason(PacketType.PUBACK)).isZero();
				member.connect(RawConnect.of("s5", lasting).cleanStart(false));
				assertThat(member.receivePublish().text()).isEqualTo("x");
			}
		}
	}

	@Test
	void endsWithItsLastMember() throws Exception {
		try (RawMqttConnection client = client("s7")) {
			client.subscribed("$share/g/t", 1);
			client.unsubscribed("$share/g/t");
			client.send(client.publish("t", 1, "x"));
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			client.subscribed("$share/g/t", 1);
			client.send(client.publish("t", 0, "y"));
			assertThat(client.receivePublish().text()).isEqualTo("y");
		}
	}

}
