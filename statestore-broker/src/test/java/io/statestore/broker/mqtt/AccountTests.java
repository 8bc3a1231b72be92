package io.statestore.broker.mqtt;

import java.util.List;

import io.statestore.broker.security.Account;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class AccountTests extends MqttBrokerTest {

	@Override
	protected MqttBrokerSettings settings() {
		return new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE).withSecurity(new MqttSecurity(
				List.of(new Account("alice", "sesame ü")), AnonymousAccess.NONE, MqttSecurity.NONE.authorizer()));
	}

	@Test
	void acceptsClientWithAccount() throws Exception {
		assertThat(connect(RawPacket.MQTT_5, "alice", "sesame ü")).isZero();
		assertThat(connect(RawPacket.MQTT_3_1_1, "alice", "sesame ü")).isZero();
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			alice, sesame
			alice, ''
			alice,
			bob, sesame ü
			, sesame ü
			,
			""")
	void refusesOtherLogin(String user, String password) throws Exception {
		assertThat(connect(RawPacket.MQTT_5, user, password)).isEqualTo(0x86);
		assertThat(this.server.events).isEmpty();
	}

	@Test
	void refusesOtherLoginWithMqtt3() throws Exception {
		assertThat(connect(RawPacket.MQTT_3_1_1, "alice", "x")).isEqualTo(0x04);
	}

	private int connect(int version, String user, String password) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			int reason = client.connect(RawConnect.of("a1").version(version).login(user, password)).reason();
			if (reason != 0) {
				client.assertClosed();
			}
			return reason;
		}
	}

}
