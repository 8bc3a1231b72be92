package io.statestore.client.mqtt;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.statestore.broker.StateStoreBroker;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.mqtt.core.ClientManager;

import static org.assertj.core.api.Assertions.assertThat;

/** Flows behind inbound adapters, on a real broker. */
@Timeout(120)
class AdapterFlowTests {

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final AdapterWorld world = new AdapterWorld();

	@AfterEach
	void close() {
		this.world.close();
		this.broker.close();
	}

	private StateStoreClientManager manager(String clientId) {
		return this.world.manager(ConnectionOptions.builder()
			.host(this.broker.host())
			.port(this.broker.port())
			.clientId(clientId)
			.reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(200)));
	}

	@Test
	void slowFlowReceivesEveryMessage() throws Exception {
		int count = 15_000;
		AtomicInteger received = new AtomicInteger();
		this.world.subscribe(manager("slow"), (message) -> {
			LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
			received.incrementAndGet();
		}, new MqttSubscription("in/#", 1));
		IMqttAsyncClient publisher = manager("publisher").getClient();
		Await.until("the connection", publisher::isConnected);
		for (int i = 0; i < count; i++) {
			publisher.publish("in/a", Integer.toString(i).getBytes(StandardCharsets.UTF_8), 1, false);
		}
		long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
		int last = -1;
		while (received.get() < count && System.nanoTime() < deadline && received.get() != last) {
			last = received.get();
			Thread.sleep(2000);
		}
		assertThat(received).hasValue(count);
	}

}
