package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;

import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class AccountTests extends MqttBrokerTest {

	@Override
	protected MqttBrokerSettings settings() {
		return new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE,
				new MqttBrokerSettings.Account("alice", "sesame ü".getBytes(StandardCharsets.UTF_8)));
	}

	@Test
	void acceptsClientWithAccount() throws Exception {
		assertThat(connect(MqttVersion.MQTT_5, "alice", "sesame ü"))
			.isEqualTo(MqttConnectReturnCode.CONNECTION_ACCEPTED);
		assertThat(connect(MqttVersion.MQTT_3_1_1, "alice", "sesame ü"))
			.isEqualTo(MqttConnectReturnCode.CONNECTION_ACCEPTED);
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
		assertThat(connect(MqttVersion.MQTT_5, user, password))
			.isEqualTo(MqttConnectReturnCode.CONNECTION_REFUSED_BAD_USERNAME_OR_PASSWORD);
		assertThat(this.server.events).isEmpty();
	}

	@Test
	void refusesOtherLoginWithMqtt3() throws Exception {
		assertThat(connect(MqttVersion.MQTT_3_1_1, "alice", "x"))
			.isEqualTo(MqttConnectReturnCode.CONNECTION_REFUSED_BAD_USER_NAME_OR_PASSWORD);
	}

	private MqttConnectReturnCode connect(MqttVersion version, String user, String password) throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			MqttMessageBuilders.ConnectBuilder connect = MqttMessageBuilders.connect()
				.clientId("a1")
				.protocolVersion(version)
				.cleanSession(true)
				.keepAlive(60)
				.hasUser(user != null)
				.hasPassword(password != null);
			if (user != null) {
				connect.username(user);
			}
			if (password != null) {
				connect.password(password.getBytes(StandardCharsets.UTF_8));
			}
			MqttConnAckMessage connack = client.connect(connect.build());
			if (connack.variableHeader().connectReturnCode() != MqttConnectReturnCode.CONNECTION_ACCEPTED) {
				client.assertClosed();
			}
			return connack.variableHeader().connectReturnCode();
		}
	}

}
