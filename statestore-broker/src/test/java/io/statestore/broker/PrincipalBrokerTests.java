package io.statestore.broker;

import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.principal.PrincipalStatistics;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.test.RawMqttClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Limits of principals of a {@link StateStoreBroker}. */
class PrincipalBrokerTests {

	@Test
	void sharesKeyLimitAmongClientsOfUser() {
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.account("ada", "p")
			.maxKeys(10)
			.maxKeysPerPrincipal(2)
			.maxConnectionsPerPrincipal(7)
			.maxRequestsPerPrincipal(8)
			.maxRatePerPrincipal(9_000)
			.start(); StoreClient one = client(broker, "one"); StoreClient two = client(broker, "two")) {
			one.call("SET", "a", "1");
			two.call("SET", "b", "1");
			assertThat(Resp.text(one.call("SET", "c", "1"))).contains("quota");
			assertThat(Resp.text(two.call("SET", "a", "2"))).isEqualTo("+OK⏎");
			assertThat(broker.statistics().principals())
				.isEqualTo(new PrincipalStatistics(1, 2, 7, 8, 9_000, 1, 0, 0, 0));
		}
	}

	@Test
	void exemptsAnonymousClients() {
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.maxKeysPerPrincipal(1)
			.maxConnectionsPerPrincipal(1)
			.maxRequestsPerPrincipal(1)
			.maxRatePerPrincipal(1_024)
			.start();
				StoreClient one = StoreClient.connect(broker.port(), "one");
				StoreClient two = StoreClient.connect(broker.port(), "two")) {
			for (int i = 0; i < 20; i++) {
				assertThat(Resp.text(one.call("SET", "a" + i, "x".repeat(1_000)))).isEqualTo("+OK⏎");
				assertThat(Resp.text(two.call("SET", "b" + i, "1"))).isEqualTo("+OK⏎");
			}
			PrincipalStatistics statistics = broker.statistics().principals();
			assertThat(statistics.principals()).isZero();
			assertThat(statistics.delayedReads() + statistics.delayedRequests() + statistics.refusedKeys()).isZero();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void writesDoNotWaitForScansOfAnotherUser(boolean login) throws Exception {
		int scans = 1_000;
		int connections = 3;
		List<StoreClient> others = new ArrayList<>();
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.account("ada", "p")
			.account("bob", "p")
			.anonymous(AnonymousAccess.LOOPBACK)
			.start(); StoreClient writer = StoreClient.connect(broker.port(), "writer", "bob", "p")) {
			for (int i = 0; i < 200; i++) {
				writer.call("SET", "a".repeat(45) + i, "v");
			}
			for (int i = 0; i < connections; i++) {
				others.add(login ? client(broker, "other" + i) : StoreClient.connect(broker.port(), "other" + i));
			}
			// A page of this pattern takes about a millisecond.
			byte[] scan = Resp.command("SCAN", "*" + "a*".repeat(60) + "b");
			for (StoreClient other : others) {
				for (int i = 0; i < scans; i++) {
					other.mqtt().send(other.request(scan));
				}
			}
			assertThat(Resp.text(writer.call("SET", "k", "v"))).isEqualTo("+OK⏎");
			assertThat(broker.statistics().store().requestsByCommand().get("SCAN")).isLessThan(connections * scans / 2);
			assertThat(broker.statistics().principals().delayedRequests()).isPositive();
			others.forEach((other) -> other.mqtt().drop());
		}
	}

	private static StoreClient client(StateStoreBroker broker, String clientId) {
		return new StoreClient(clientId, RawMqttClient.connect(broker.port(), clientId, "ada", "p"));
	}

}
