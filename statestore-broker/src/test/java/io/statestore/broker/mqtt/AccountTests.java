package io.statestore.broker.mqtt;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.broker.security.Account;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.Authenticator;
import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class AccountTests extends MqttBrokerTest {

	@Override
	protected MqttBrokerSettings settings() {
		List<Authenticator> accounts = Stream.of("alice", "bert", "carl", "dora")
			.<Authenticator>map((name) -> new Account(name, "sesame ü"))
			.toList();
		return new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE)
			.withSecurity(new MqttSecurity(accounts, AnonymousAccess.NONE, MqttSecurity.NONE.authorizer()));
	}

	@ParameterizedTest
	@ValueSource(ints = { RawPacket.MQTT_5, RawPacket.MQTT_3_1_1 })
	void acceptsClientWithAccount(int version) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect(RawConnect.of("a1").version(version).login("alice", "sesame ü")).reason())
				.isZero();
		}
	}

	/** Refusals take half a second, and longer for later logins with the same name. */
	@Test
	void refusesWrongOrMissingLogins() throws Exception {
		List<RawConnect> logins = List.of(RawConnect.of("1").login("alice", "sesame"),
				RawConnect.of("2").login("bert", ""), RawConnect.of("3").login("carl", null),
				RawConnect.of("4").login("bob", "sesame ü"), RawConnect.of("5").login(null, "sesame ü"),
				RawConnect.of("6").login(null, null),
				RawConnect.of("7").version(RawPacket.MQTT_3_1_1).login("dora", "x"));
		List<RawMqttConnection> clients = new ArrayList<>();
		for (RawConnect login : logins) {
			RawMqttConnection client = new RawMqttConnection(this.broker.port());
			client.send(login);
			clients.add(client);
		}
		List<Integer> reasons = new ArrayList<>();
		for (RawMqttConnection client : clients) {
			reasons.add(client.receiveReason(PacketType.CONNACK));
			client.assertClosed();
			client.close();
		}
		assertThat(reasons).containsExactly(0x86, 0x86, 0x86, 0x86, 0x86, 0x86, 0x04);
		assertThat(this.server.events).isEmpty();
	}

}
