package io.statestore.broker.gateway;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.server.StateStoreStatistics;
import io.statestore.test.FaultProxy;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Limits on the state that a gateway keeps for its clients. */
@Timeout(60)
@RequiresProgram("mosquitto")
class GatewayLimitsTests {

	private static final String DELETE = "*2⏎$6⏎NOTIFY⏎$6⏎DELETE⏎";

	@Test
	void leasesEndAfterOneFailedCheck() throws Exception {
		AtomicBoolean failing = new AtomicBoolean();
		try (Mosquitto mosquitto = Mosquitto.start();
				StateStoreGateway gateway = StateStoreGateway.builder()
					.host("127.0.0.1")
					.port(mosquitto.port())
					.watchLease(Duration.ofSeconds(1))
					.nanoClock(() -> {
						if (failing.getAndSet(false)) {
							throw new IllegalStateException("on purpose");
						}
						return System.nanoTime();
					})
					.start();
				StoreClient client = StoreClient.connect(mosquitto.port(), "c")) {
			// Only reads, because Mosquitto reports absent watchers, so watchers have no
			// lease there.
			client.call("GET", "k");
			assertThat(gateway.statistics().clientMemory().usedBytes()).isPositive();
			failing.set(true);
			await("the failure").until(() -> !failing.get());
			await("released memory").until(() -> gateway.statistics().clientMemory().usedBytes() == 0);
		}
	}

	@Test
	void countsClientUsage() throws Exception {
		try (Mosquitto mosquitto = Mosquitto.start();
				StateStoreGateway gateway = StateStoreGateway.builder()
					.host("127.0.0.1")
					.port(mosquitto.port())
					.limits((limits) -> new Limits(1, 100, 1 << 20, 2 << 20, 1L << 20))
					.start();
				StoreClient client = StoreClient.connect(mosquitto.port(), "c")) {
			client.call("SET", "key", "value");
			client.call("SET", "other", "value");
			client.watch("key");
			await("the watch").until(() -> gateway.statistics().store().watchedKeys() == 1);
			StateStoreStatistics statistics = gateway.statistics();
			assertThat(statistics.store().keys()).isEqualTo(1);
			assertThat(statistics.store().maxKeys()).isEqualTo(1);
			assertThat(statistics.store().maxBytes()).isEqualTo(100);
			assertThat(statistics.store().maxReplyBytes()).isEqualTo(1 << 20);
			assertThat(statistics.store().replies()).isEqualTo(3);
			assertThat(statistics.store().refusedRequests()).isEqualTo(1);
			assertThat(statistics.clientMemory().maxBytes()).isEqualTo(2 << 20);
			assertThat(statistics.clientMemory().maxBytesPerClient()).isEqualTo(1 << 20);
			assertThat(statistics.clientMemory().usedBytesByPurpose().get(MemoryUse.GATEWAY_CLIENT)).isPositive();
			assertThat(statistics.refusals()).isEqualTo(1);
		}
	}

	@Test
	void refusesPacketLargerThanMemoryPerClient() throws Exception {
		try (Mosquitto mosquitto = Mosquitto.start();
				StateStoreGateway gateway = StateStoreGateway.builder()
					.host("127.0.0.1")
					.port(mosquitto.port())
					.limits((limits) -> limits.withMemoryPerClient(1 << 20))
					.start();
				StoreClient client = StoreClient.connect(mosquitto.port(), "c")) {
			client.mqtt().send(client.request(Resp.command("SET", "large", new byte[1 << 20])));
			client.call("SET", "small", "v");
			assertThat(client.value("large")).isNull();
			assertThat(client.value("small")).isEqualTo("v");
			assertThat(gateway.isServing()).isTrue();
		}
	}

	@Tag("long")
	@Tag("nightly")
	@Test
	void notifiesOfEveryKeyAfterBacklogExceedsMemory() throws Exception {
		int keys = 900;
		String prefix = "k".repeat(3_000);
		try (Mosquitto mosquitto = Mosquitto.start();
				FaultProxy proxy = new FaultProxy(mosquitto.port());
				StateStoreGateway gateway = StateStoreGateway.builder()
					.host("127.0.0.1")
					.port(proxy.port())
					.limits((limits) -> limits.withClientMemory(8 << 20).withMemoryPerClient(4 << 20))
					.start();
				StoreClient client = StoreClient.connect(mosquitto.port(), "c")) {
			assertThat(client.mqtt().subscribe(client.notificationFilter())).isLessThan(0x80);
			for (int i = 0; i < keys; i++) {
				client.mqtt().send(client.request(Resp.command("SET", prefix + i, "v", "PX", "6000")));
				client.mqtt().send(client.request(Resp.command("KEYNOTIFY", prefix + i)));
			}
			await("all watches").until(() -> gateway.statistics().store().watchedKeys() == keys);
			proxy.close();

			await("expiry of all keys").until(() -> gateway.statistics().store().keys() == 0);
			assertThat(gateway.statistics().store().watchedKeys()).isEqualTo(keys);
			assertThat(gateway.statistics().clientMemory().refusals().get(MemoryUse.OUTGOING)).isPositive();
			assertThat(gateway.statistics().clientMemory().usedBytesByPurpose().get(MemoryUse.OUTGOING))
				.isLessThanOrEqualTo(2L << 20);

			try (FaultProxy back = new FaultProxy(proxy.port(), mosquitto.port())) {
				await("the gateway is back").until(gateway::isServing);
				for (int i = 0; i < keys; i++) {
					assertThat(Resp.text(client.notification(prefix + i))).isEqualTo(DELETE);
				}
				assertThat(gateway.statistics().store().watchedKeys()).isEqualTo(keys);
			}
		}
	}

	@Test
	void endsWatchIfNotificationIsTooLarge() throws Exception {
		try (Mosquitto mosquitto = Mosquitto.start("allow_anonymous true", "max_packet_size 1600");
				StateStoreGateway gateway = StateStoreGateway.builder()
					.host("127.0.0.1")
					.port(mosquitto.port())
					.start();
				StoreClient client = StoreClient.connect(mosquitto.port(), "c")) {
			String key = "k".repeat(800);
			client.mqtt().send(client.request(Resp.command("KEYNOTIFY", key)));
			await("the watch").until(() -> gateway.statistics().store().watchedKeys() == 1);
			client.call("SET", key, "v");
			await("the end of the watch").until(() -> gateway.statistics().store().watchedKeys() == 0);
		}
	}

}
