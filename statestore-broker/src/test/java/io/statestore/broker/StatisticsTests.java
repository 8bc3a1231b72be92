package io.statestore.broker;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.memory.MemoryStatistics;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.broker.server.StoreStatistics;
import io.statestore.protocol.ErrorReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class StatisticsTests {

	private static final String LONG_KEY = "x".repeat(10_000);

	@Test
	void showUsageLimitsAndRefusals() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.limits((limits) -> new Limits(2, 1_000, 1 << 20, 1 << 20, 64L << 10))
			.start()) {
			try (StoreClient client = StoreClient.connect(broker.port(), "c")) {
				client.call("SET", "a", "value");
				client.call("SET", "b", "value");
				client.call("SET", "c", "value");
				client.watch("a");
				for (int i = 0; i < 4; i++) {
					assertThat(Resp.text(client.call("KEYNOTIFY", LONG_KEY + i))).isEqualTo("+OK⏎");
				}
				assertThat(Resp.text(client.call("KEYNOTIFY", LONG_KEY + 4))).contains("quota");
				await("both refusals").until(() -> broker.statistics().store().refusedRequests() == 2);

				StateStoreStatistics statistics = broker.statistics();
				assertThat(statistics.store().keys()).isEqualTo(2);
				assertThat(statistics.store().bytes()).isEqualTo(12);
				assertThat(statistics.store().watchedKeys()).isEqualTo(5);
				assertThat(statistics.store().replies()).isEqualTo(9);
				assertThat(statistics.store().replyBytes()).isBetween(9L * 100, 1L << 20);
				assertThat(statistics.store().maxReplyBytes()).isEqualTo(1 << 20);
				assertThat(statistics.store().requests()).isEqualTo(9);
				long watches = 545 + 4 * (544 + LONG_KEY.length() + 1L);
				MemoryStatistics memory = statistics.clientMemory();
				assertThat(memory.maxBytes()).isEqualTo(1 << 20);
				assertThat(memory.maxBytesPerClient()).isEqualTo(64 << 10);
				assertThat(memory.usedBytesByPurpose()).containsEntry(MemoryUse.OBSERVATION, watches)
					.hasEntrySatisfying(MemoryUse.CONNECTION,
							(connection) -> assertThat(connection).isBetween(16L << 10, 17L << 10))
					.hasEntrySatisfying(MemoryUse.SUBSCRIPTION,
							(subscriptions) -> assertThat(subscriptions).isPositive());
				assertThat(memory.usedBytes())
					.isEqualTo(memory.usedBytesByPurpose().values().stream().mapToLong(Long::longValue).sum());
				assertThat(memory.refusals()).containsEntry(MemoryUse.OBSERVATION, 1L)
					.containsEntry(MemoryUse.CONNECTION, 0L);
				assertThat(statistics.refusals()).isEqualTo(2);
			}
			await("released memory").until(() -> broker.statistics().clientMemory().usedBytes() == 0);
			await("the end of watches").until(() -> broker.statistics().store().watchedKeys() == 0);
		}
	}

	@Test
	void countRequestsByCommandAndRefusalsByReason() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().limits((limits) -> limits.withMaxKeys(1)).start()) {
			try (StoreClient client = StoreClient.connect(broker.port(), "c")) {
				client.call("SET", "a", "value");
				client.call("SET", "b", "value");
				client.call("GET", "a");
				client.call("VDEL", "a", "other");
				client.call("KEYNOTIFY", "a");
				client.call("KEYNOTIFY", "a", "STOP");
				client.call("SCAN", "*");
				client.call("REPLACE", "a", "value", "1:1:none");
				client.call("INCRBY", "a", "1");
				client.call("TTL", "a");
				client.call("PNOTIFY", "*");
				client.call("DEL", "a");
				client.call("GET");
				StoreStatistics store = broker.statistics().store();
				assertThat(store.requestsByCommand()).containsExactly(entry("SET", 2L), entry("GET", 1L),
						entry("DEL", 1L), entry("VDEL", 1L), entry("KEYNOTIFY", 2L), entry("SCAN", 1L),
						entry("REPLACE", 1L), entry("INCRBY", 1L), entry("TTL", 1L), entry("PNOTIFY", 1L),
						entry("other", 1L));
				assertThat(store.requests()).isEqualTo(13);
				assertThat(store.refusals()).containsEntry(ErrorReason.QUOTA_EXCEEDED, 1L)
					.containsEntry(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS, 1L)
					.containsEntry(ErrorReason.NOT_A_NUMBER, 1L)
					.containsEntry(ErrorReason.NOT_AUTHORIZED, 0L);
				assertThat(store.connections()).isEqualTo(1);
			}
			await("the end of the connection").until(() -> broker.statistics().store().connections() == 0);
		}
	}

	@Test
	void followKeyExpiry() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				StoreClient client = StoreClient.connect(broker.port(), "c")) {
			client.call("SET", "a", "value", "PX", "50");
			await("the expiry")
				.until(() -> broker.statistics().store().requests() == 1 && broker.statistics().store().keys() == 0);
			assertThat(broker.statistics().store().bytes()).isZero();
		}
	}

}
