package io.statestore.broker.mqtt;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Order of messages and acknowledgments that wait for the disk (MQTT 5 section 4.6). */
class StoredOrderTests {

	private static final int CLIENTS = 4;

	private static final int MESSAGES = 1_000;

	private static final int IN_FLIGHT = 50;

	@TempDir
	Path directory;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private DurableBroker broker;

	@BeforeEach
	void startBroker() {
		this.broker = DurableBroker.in(this.directory).start();
	}

	@AfterEach
	void stopBroker() {
		this.threads.shutdownNow();
		this.broker.close();
	}

	@Test
	void keepsMessagesFromOnePublisherInOrder() throws Exception {
		expectOrder(1, PacketType.PUBACK);
	}

	@Test
	void keepsQos2MessagesFromOnePublisherInOrder() throws Exception {
		expectOrder(2, PacketType.PUBREC);
	}

	private void expectOrder(int qos, PacketType acknowledgment) throws Exception {
		List<Callable<Void>> tasks = new ArrayList<>();
		for (int i = 0; i < CLIENTS; i++) {
			String topic = "t/" + i;
			RawMqttConnection subscriber = new RawMqttConnection(this.broker.port());
			subscriber.connect(
					RawConnect
						.of("subscriber" + i, PropertyType.SESSION_EXPIRY_INTERVAL.of(60),
								PropertyType.RECEIVE_MAXIMUM.of(60_000))
						.cleanStart(true));
			subscriber.subscribed(topic, 1);
			RawMqttConnection publisher = this.broker.client("publisher" + i);
			tasks.add(() -> receive(subscriber));
			tasks.add(() -> publish(publisher, topic, qos, acknowledgment));
		}
		for (Future<Void> result : this.threads.invokeAll(tasks, 60, TimeUnit.SECONDS)) {
			result.get();
		}
	}

	private Void receive(RawMqttConnection client) throws Exception {
		try (client) {
			for (int i = 0; i < MESSAGES; i++) {
				RawPublish message = client.receivePublish();
				assertThat(message.text()).isEqualTo(Integer.toString(i));
				client.acknowledge(message);
			}
		}
		return null;
	}

	private Void publish(RawMqttConnection client, String topic, int qos, PacketType acknowledgment) throws Exception {
		try (client) {
			int acknowledged = 0;
			for (int i = 0; i < MESSAGES; i++) {
				client.send(client.publish(topic, qos, Integer.toString(i)));
				if (i >= IN_FLIGHT) {
					expectNext(client, acknowledgment, ++acknowledged);
				}
			}
			while (acknowledged < MESSAGES) {
				expectNext(client, acknowledgment, ++acknowledged);
			}
		}
		return null;
	}

	private static void expectNext(RawMqttConnection client, PacketType type, int packetId) throws Exception {
		RawControl acknowledgment = client.receive(type);
		assertThat(acknowledgment.packetId()).isEqualTo(packetId);
	}

}
