package io.statestore.broker.mqtt;

import java.util.List;

import io.statestore.broker.principal.PrincipalLimits;
import io.statestore.broker.principal.PrincipalStatistics;
import io.statestore.broker.principal.Principals;
import io.statestore.broker.security.Account;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.protocol.Topics;
import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A principal's limits from its clients' point of view. */
class PrincipalLimitsTests extends MqttBrokerTest {

	private final Principals principals = new Principals(new PrincipalLimits(null, 2, 2));

	@Override
	protected MqttBrokerSettings settings() {
		return new MqttBrokerSettings("localhost", 0, 1_000_000)
			.withSecurity(new MqttSecurity(List.of(new Account("ada", "p")), AnonymousAccess.NONE, null))
			.withPrincipals(this.principals);
	}

	@Test
	void refusesConnectionBeyondLimitUntilAnotherEnds() throws Exception {
		try (RawMqttConnection first = login("a"); RawMqttConnection second = login("b")) {
			assertThat(refused("c", RawPacket.MQTT_5)).isEqualTo(0x97);
			assertThat(refused("c", RawPacket.MQTT_3_1_1)).isEqualTo(3);
			second.ping();
			first.close();
			await("the end of the connection").until(() -> {
				try (RawMqttConnection third = new RawMqttConnection(this.broker.port())) {
					return third.connect(connect("c")).reason() == 0;
				}
			});
		}
		assertThat(statistics().refusedConnections()).isGreaterThanOrEqualTo(2);
		await("no connections").until(() -> statistics().principals() == 0);
	}

	@Test
	void clientTakesOverItsConnectionAtLimit() throws Exception {
		try (RawMqttConnection first = login("a"); RawMqttConnection second = login("b")) {
			try (RawMqttConnection again = login("a")) {
				assertThat(first.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x8E);
				again.ping();
				second.ping();
				assertThat(refused("c", RawPacket.MQTT_5)).isEqualTo(0x97);
			}
		}
	}

	@Test
	void requestsOnSeveralConnectionsWaitForEachOther() throws Exception {
		try (RawMqttConnection first = login("a"); RawMqttConnection second = login("b")) {
			first.send(hold(first), hold(first));
			IncomingRequest one = this.server.nextRequest();
			IncomingRequest two = this.server.nextRequest();
			second.send(hold(second), hold(second));
			await("a waiting request").until(() -> statistics().delayedRequests() == 1);
			assertThat(this.server.requests).isEmpty();
			one.acknowledgment().acknowledge(0);
			assertThat(first.receiveReason(PacketType.PUBACK)).isZero();
			assertThat(this.server.nextRequest().connection().clientId()).isEqualTo("b");
			await("another waiting request").until(() -> statistics().delayedRequests() == 2);
			assertThat(this.server.requests).isEmpty();
			first.ping();
			two.acknowledgment().acknowledge(0);
			assertThat(this.server.nextRequest().connection().clientId()).isEqualTo("b");
		}
	}

	@Test
	void endedConnectionHandsOnItsPermit() throws Exception {
		try (RawMqttConnection first = login("a"); RawMqttConnection second = login("b")) {
			first.send(hold(first), hold(first), hold(first));
			IncomingRequest one = this.server.nextRequest();
			this.server.nextRequest();
			await("a waiting request").until(() -> statistics().delayedRequests() == 1);
			second.send(hold(second));
			await("another waiting request").until(() -> statistics().delayedRequests() == 2);
			this.server.connection("a").disconnect(0x98, "as an administrator likes it");
			assertThat(this.server.nextEvents(3)).containsExactly("+a", "+b", "-a");
			one.acknowledgment().acknowledge(0);
			assertThat(this.server.nextRequest().connection().clientId()).isEqualTo("b");
		}
	}

	@Test
	void manyRequestsOnTwoConnectionsAllPass() throws Exception {
		try (RawMqttConnection first = login("a"); RawMqttConnection second = login("b")) {
			int count = 500;
			for (int i = 0; i < count; i++) {
				first.send(request(first, "refuse 0", "r/a"));
				second.send(request(second, "refuse 0", "r/b"));
			}
			for (int i = 0; i < count; i++) {
				assertThat(first.receiveReason(PacketType.PUBACK)).isZero();
				assertThat(second.receiveReason(PacketType.PUBACK)).isZero();
			}
		}
	}

	private PrincipalStatistics statistics() {
		return this.principals.statistics(0, 0);
	}

	private RawMqttConnection login(String clientId) throws Exception {
		RawMqttConnection connection = new RawMqttConnection(this.broker.port());
		assertThat(connection.connect(connect(clientId)).reason()).isZero();
		return connection;
	}

	private int refused(String clientId, int version) throws Exception {
		try (RawMqttConnection connection = new RawMqttConnection(this.broker.port())) {
			int reason = connection.connect(connect(clientId).version(version)).reason();
			connection.assertClosed();
			return reason;
		}
	}

	private static RawConnect connect(String clientId) {
		return RawConnect.of(clientId).login("ada", "p");
	}

	private static RawPacket hold(RawMqttConnection client) {
		return client.publish(Topics.REQUEST, 1, "hold", requestProperties("r", "c"));
	}

}
