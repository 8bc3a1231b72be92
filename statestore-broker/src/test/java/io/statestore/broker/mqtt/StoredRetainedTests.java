package io.statestore.broker.mqtt;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.statestore.test.PacketType;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Retained messages of a broker with a directory. */
class StoredRetainedTests {

	private static final int TOPICS = 30;

	/** Payload size near the maximum packet size. */
	private static final int LARGE = 900_000;

	private static final int NO_LOCAL = 4;

	@TempDir
	Path directory;

	@AutoClose
	private DurableBroker broker;

	@BeforeEach
	void startBroker() {
		this.broker = DurableBroker.in(this.directory).start();
	}

	private RawMqttConnection client(String clientId) throws Exception {
		return this.broker.client(clientId);
	}

	/** Publishes to all topics without waiting for acknowledgments. */
	private void publishAll(RawMqttConnection client, String... payloads) throws Exception {
		for (int i = 0; i < TOPICS; i++) {
			for (String payload : payloads) {
				client.send(MqttBrokerTest.retained(client, "r/" + i, 1, payload));
			}
		}
		for (int i = 0; i < TOPICS * payloads.length; i++) {
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
		}
	}

	/** Returns the retained messages by their topics. */
	private Map<String, String> retained(String filter) throws Exception {
		Map<String, String> retained = new TreeMap<>();
		try (RawMqttConnection client = client("reader" + filter + Thread.currentThread().getId())) {
			client.send(client.subscribe(filter, 0));
			RawPacket packet = client.receive();
			boolean ended = false;
			while (!ended) {
				if (packet instanceof RawPublish message && message.retain) {
					assertThat(retained.put(message.topic, message.text())).isNull();
				}
				else if (packet instanceof RawPublish message) {
					ended = message.text().equals("end");
				}
				else {
					// This message follows the retained messages in the subscriber's
					// queue.
					client.send(client.publish(filter.replace("#", "end"), 0, "end"));
				}
				packet = ended ? packet : client.receive();
			}
		}
		return retained;
	}

	@Test
	void clearsMessageNotStoredYet() throws Exception {
		try (RawMqttConnection client = client("c")) {
			publishAll(client, "value", "");
		}
		assertThat(retained("r/#")).isEmpty();
		this.broker.restart();
		assertThat(retained("r/#")).isEmpty();
	}

	@Test
	void keepsLatestOfSeveralMessages() throws Exception {
		try (RawMqttConnection client = client("c")) {
			publishAll(client, "1", "2", "", "3");
		}
		assertThat(retained("r/#")).hasSize(TOPICS).containsValue("3").doesNotContainValue("2");
		this.broker.restart();
		assertThat(retained("r/#")).hasSize(TOPICS).containsValue("3").doesNotContainValue("2");
	}

	@Test
	void restoresNoClearedMessage() throws Exception {
		try (RawMqttConnection client = client("c")) {
			publishAll(client, "0", "1", "2", "3", "4", "5");
			assertThat(retained("r/#")).hasSize(TOPICS);
			publishAll(client, "");
		}
		this.broker.restart();
		assertThat(retained("r/#")).isEmpty();
	}

	@Test
	void keepsOneMessageFromConcurrentPublishers() throws Exception {
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			List<Callable<Void>> publishers = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				RawMqttConnection client = client("p" + i);
				publishers.add(() -> {
					publishAll(client, "a", "b");
					client.close();
					return null;
				});
			}
			publishers.add(() -> {
				for (int i = 0; i < 5; i++) {
					retained("r/#");
				}
				return null;
			});
			try (RawMqttConnection client = client("c")) {
				publishAll(client, "first");
			}
			for (Future<Void> result : threads.invokeAll(publishers)) {
				result.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		Map<String, String> before = retained("r/#");
		assertThat(before).hasSize(TOPICS);
		this.broker.restart();
		assertThat(retained("r/#")).isEqualTo(before);
		try (RawMqttConnection client = client("c")) {
			publishAll(client, "");
		}
		this.broker.restart();
		assertThat(retained("r/#")).isEmpty();
	}

	@Test
	void keepsLatestLargeMessage() throws Exception {
		try (RawMqttConnection client = client("c")) {
			for (int i = 0; i < 10; i++) {
				client.send(MqttBrokerTest.retained(client, "large", 1, i + "x".repeat(LARGE)));
				assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			}
		}
		this.broker.restart();
		assertThat(retained("large").get("large")).startsWith("9x").hasSize(LARGE + 1);
		try (RawMqttConnection client = client("c")) {
			client.send(MqttBrokerTest.retained(client, "large", 1, ""));
			client.receive(PacketType.PUBACK);
		}
		this.broker.restart();
		assertThat(retained("large")).isEmpty();
	}

	@Test
	void keepsLargeQos0Message() throws Exception {
		try (RawMqttConnection client = client("c")) {
			client.send(MqttBrokerTest.retained(client, "large", 0, "x".repeat(LARGE)));
			client.ping();
		}
		await().until(() -> retained("large").size() == 1);
		this.broker.restart();
		assertThat(retained("large").get("large")).hasSize(LARGE);
	}

	@Test
	void sendsNoOwnMessageWithNoLocal() throws Exception {
		try (RawMqttConnection client = client("c")) {
			client.send(MqttBrokerTest.retained(client, "own", 1, "x"));
			client.receive(PacketType.PUBACK);
		}
		this.broker.restart();
		try (RawMqttConnection client = client("c")) {
			client.send(client.subscribe("own", 1 | NO_LOCAL));
			client.receive(PacketType.SUBACK);
			client.ping();
		}
		assertThat(retained("own")).containsEntry("own", "x");
	}

}
