package io.statestore.broker.mqtt;

import java.util.List;

import io.statestore.broker.principal.PrincipalLimits;
import io.statestore.broker.principal.Principals;
import io.statestore.broker.security.Account;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.protocol.Administration;
import io.statestore.protocol.Topics;
import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Limit on a user's requests that visit many keys. */
class ScanLimitTests extends MqttBrokerTest {

	private static final int MAX_SCANS = 4;

	private final Principals principals = new Principals(PrincipalLimits.DEFAULT);

	@Override
	protected MqttBrokerSettings settings() {
		return super.settings()
			.withSecurity(new MqttSecurity(List.of(new Account("ada", "p"), new Account("bob", "p")),
					AnonymousAccess.LOOPBACK, null))
			.withPrincipals(this.principals);
	}

	@ParameterizedTest
	@ValueSource(strings = { "ada", "" })
	void servesConnectionsOfUserInTurn(String user) throws Exception {
		try (RawMqttConnection first = login("a", user);
				RawMqttConnection second = login("b", user);
				RawMqttConnection other = login("c", "bob")) {
			first.send(scan(first), scan(first), scan(first), scan(first), scan(first), scan(first));
			List<IncomingRequest> scans = List.of(next("a"), next("a"), next("a"), next("a"));
			awaitDelays(1);
			second.send(scan(second));
			awaitDelays(2);
			other.send(scan(other));
			next("c");
			assertThat(this.server.requests).isEmpty();
			scans.get(0).acknowledgment().acknowledge(0);
			next("a");
			awaitDelays(3);
			scans.get(1).acknowledgment().acknowledge(0);
			next("b");
			scans.get(2).acknowledgment().acknowledge(0);
			next("a");
			assertThat(this.server.requests).isEmpty();
		}
	}

	@Test
	void laterRequestsOnConnectionWaitInOrder() throws Exception {
		try (RawMqttConnection client = login("a", "ada"); RawMqttConnection other = login("b", "ada")) {
			for (int i = 0; i <= MAX_SCANS; i++) {
				client.send(scan(client));
			}
			client.send(request(client, "later", "clients/a/r"));
			IncomingRequest scan = next("a");
			awaitDelays(1);
			other.send(request(other, "other", "clients/b/r"));
			assertThat(other.receiveReason(PacketType.PUBACK)).isZero();
			this.server.requests.clear();
			scan.acknowledgment().acknowledge(0);
			assertThat(next("a").payload().toUtf8()).contains("SCAN");
			assertThat(next("a").payload().toUtf8()).isEqualTo("later");
		}
	}

	@Test
	void scansAndLockListingsShareLimit() throws Exception {
		try (RawMqttConnection client = login("a", "ada")) {
			for (int i = 0; i < MAX_SCANS; i++) {
				client.send(client.publish(Administration.REQUEST_TOPIC, 1, EchoServer.LOCKS,
						requestProperties("clients/a/r", "c")));
			}
			client.send(scan(client));
			for (int i = 0; i < MAX_SCANS; i++) {
				next("a");
			}
			awaitDelays(1);
			assertThat(this.server.requests).isEmpty();
		}
	}

	@Test
	void scanMakesRoomOnceItHasRead() throws Exception {
		try (RawMqttConnection client = login("a", "ada")) {
			for (int i = 0; i < MAX_SCANS + 2; i++) {
				client.send(scan(client));
			}
			List<IncomingRequest> scans = List.of(next("a"), next("a"), next("a"), next("a"));
			awaitDelays(1);
			scans.get(0).acknowledgment().read();
			next("a");
			awaitDelays(2);
			scans.get(0).acknowledgment().acknowledge(0);
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			assertThat(this.server.requests).isEmpty();
			scans.get(1).acknowledgment().acknowledge(0);
			next("a");
		}
	}

	@Test
	void closedConnectionHandsOnItsPermits() throws Exception {
		try (RawMqttConnection first = login("a", "ada"); RawMqttConnection second = login("b", "ada")) {
			for (int i = 0; i <= MAX_SCANS; i++) {
				first.send(scan(first));
			}
			List<IncomingRequest> scans = List.of(next("a"), next("a"), next("a"), next("a"));
			awaitDelays(1);
			second.send(scan(second));
			awaitDelays(2);
			this.server.connection("a").disconnect(0x98, "as an administrator likes it");
			assertThat(this.server.nextEvents(3)).containsExactly("+a", "+b", "-a");
			scans.get(0).acknowledgment().acknowledge(0);
			next("b");
		}
	}

	private void awaitDelays(long count) {
		await("waiting connections").until(() -> this.principals.statistics(0, 0).delayedRequests() == count);
	}

	private IncomingRequest next(String clientId) throws InterruptedException {
		IncomingRequest request = this.server.nextRequest();
		assertThat(request.connection().clientId()).isEqualTo(clientId);
		return request;
	}

	private RawMqttConnection login(String clientId, String user) throws Exception {
		RawMqttConnection connection = new RawMqttConnection(this.broker.port());
		RawConnect connect = RawConnect.of(clientId);
		assertThat(connection.connect(user.isEmpty() ? connect : connect.login(user, "p")).reason()).isZero();
		return connection;
	}

	private static RawPacket scan(RawMqttConnection client) {
		return client.publish(Topics.REQUEST, 1, EchoServer.SCAN, requestProperties("r", "c"));
	}

}
