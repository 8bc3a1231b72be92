package io.statestore.dafka.loss;

import java.time.Duration;

import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Connections that are open but do not transmit anything. */
@Timeout(120)
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs a second loopback address")
class DeadConnectionTests {

	@Test
	void reconnectsAfterSilentConnectionLoss() {
		try (Tower tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();
				FaultProxy network = FaultProxy.withPortOfServer(LossSettings.PROXY_HOST, "127.0.0.1");
				Store store = Store
					.builder(node(tower).bindPort(network.port()).advertisedHost(LossSettings.PROXY_HOST).build())
					.start();
				Producer producer = Producer.builder(node(tower).build()).start()) {
			producer.send("t", new byte[1]).join();
			network.discard();
			producer.send("t", new byte[1]);
			await("the store has it, and says so in vain").until(() -> store.metrics().stored() == 2);
			network.healNewConnections();
			await("the producer hears the store again").until(() -> producer.metrics().acknowledged() == 2);
			assertThat(store.metrics().duplicates()).isZero();
		}
	}

	private static NodeOptions.Builder node(Tower tower) {
		return NodeOptions.builder()
			.tower(tower.address())
			.bindHost("127.0.0.1")
			.beaconInterval(Duration.ofMillis(100))
			.connectionTimeout(Duration.ofMillis(400));
	}

}
