package io.statestore.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.principal.PrincipalLimits;
import io.statestore.broker.principal.PrincipalStatistics;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.test.CapturedLog;
import io.statestore.test.RawMqttClient;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Principal limits in a {@link StateStoreBroker}. */
@Isolated("captures the log")
class PrincipalBrokerTests {

	@Test
	void clientsWithSameUserShareKeyLimit() {
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.account("ada", "p")
			.limits((limits) -> limits.withMaxKeys(10))
			.principalLimits((limits) -> new PrincipalLimits(2L, 7, 8))
			.start(); StoreClient one = client(broker, "one"); StoreClient two = client(broker, "two")) {
			one.call("SET", "a", "1");
			two.call("SET", "b", "1");
			assertThat(Resp.text(one.call("SET", "c", "1"))).contains("quota");
			assertThat(Resp.text(two.call("SET", "a", "2"))).isEqualTo("+OK⏎");
			assertThat(broker.statistics().principals()).isEqualTo(new PrincipalStatistics(1, 2, 7, 8, 1, 0, 0));
		}
	}

	@Test
	void exemptsAnonymousClients() {
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.principalLimits((limits) -> new PrincipalLimits(1L, 1, 1))
			.start();
				StoreClient one = StoreClient.connect(broker.port(), "one");
				StoreClient two = StoreClient.connect(broker.port(), "two")) {
			for (int i = 0; i < 20; i++) {
				assertThat(Resp.text(one.call("SET", "a" + i, "x".repeat(1_000)))).isEqualTo("+OK⏎");
				assertThat(Resp.text(two.call("SET", "b" + i, "1"))).isEqualTo("+OK⏎");
			}
			PrincipalStatistics statistics = broker.statistics().principals();
			assertThat(statistics.principals()).isZero();
			assertThat(statistics.delayedRequests() + statistics.refusedKeys()).isZero();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void writesDoNotWaitForScansByAnotherUser(boolean login) throws Exception {
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

	@Test
	void memoryWarningsNameUserWhoHoldsMost() {
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.account("ada", "p")
			.account("bob", "p")
			.limits((limits) -> limits.withClientMemory(1 << 20).withMemoryPerClient(1 << 20))
			.start();
				RawMqttClient ada = RawMqttClient.connect(broker.port(), "a", "ada", "p");
				RawMqttClient bob = RawMqttClient.connect(broker.port(), "b", "bob", "p");
				CapturedLog log = new CapturedLog("io.statestore.broker.mqtt", Level.WARN)) {
			// All users together may hold half of the memory, and a single user three
			// quarters of that.
			AtomicInteger retained = new AtomicInteger();
			// Other tests may have logged the same warning within the last ten seconds.
			await("the warning").atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
				retain(ada, "ada/" + retained.incrementAndGet());
				assertThat(log.messages()).anySatisfy((message) -> assertThat(message)
					.contains("Refused a retained message of client 'a'", "Most memory is held by user 'ada', "));
			});
			await("the loss").atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
				for (int i = 0; i < 10; i++) {
					assertThat(retain(bob, "bob/" + i)).isZero();
				}
				for (int i = 0; i < 10; i++) {
					remove(bob, "bob/" + i);
					retain(ada, "ada/" + retained.incrementAndGet());
				}
				assertThat(log.messages()).anySatisfy((message) -> assertThat(message)
					.contains("so 'ada', with the largest share of it, lost some."));
			});
		}
	}

	private static int retain(RawMqttClient client, String topic) {
		return retain(client, topic, new byte[20_000]);
	}

	private static void remove(RawMqttClient client, String topic) {
		assertThat(retain(client, topic, new byte[0])).isZero();
	}

	private static int retain(RawMqttClient client, String topic, byte[] payload) {
		return client.puback(client.send(RawPublish.of((publish) -> {
			publish.topic = topic;
			publish.payload = payload;
			publish.retain = true;
		})));
	}

	private static StoreClient client(StateStoreBroker broker, String clientId) {
		return new StoreClient(clientId, RawMqttClient.connect(broker.port(), clientId, "ada", "p"));
	}

}
