package io.statestore.broker.mqtt;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.statestore.broker.artemis.disk.DiskState;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.PacketType;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Retained messages of a broker with a directory. */
class StoredRetainedTests extends MqttBrokerTest {

	private static final int TOPICS = 30;

	/** Above the size from which a message has a file of its own. */
	private static final int LARGE = 600_000;

	private static final long MIN_FREE = 16L * 1024 * 1024;

	private static final int NO_LOCAL = 4;

	private static final int RETAIN_NEVER = 32;

	@TempDir
	Path directory;

	@Override
	protected MqttBrokerSettings settings() {
		return new MqttBrokerSettings("localhost", 0, 2 * LARGE).withStorage(StorageOptions.in(this.directory));
	}

	private void restart() {
		stopBroker();
		startBroker();
	}

	/** Publishes on all topics without waiting for acknowledgments. */
	private void publishAll(RawMqttConnection client, String... payloads) throws Exception {
		for (int i = 0; i < TOPICS; i++) {
			for (String payload : payloads) {
				client.send(retained(client, "r/" + i, 1, payload));
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
					// Follows the retained messages in the queue of the subscription.
					client.send(client.publish(filter.replace("#", "end"), 0, "end"));
				}
				packet = ended ? packet : client.receive();
			}
		}
		return retained;
	}

	@Test
	void clearsMessageThatIsNotStoredYet() throws Exception {
		try (RawMqttConnection client = client("c")) {
			publishAll(client, "value", "");
		}
		assertThat(retained("r/#")).isEmpty();
		restart();
		assertThat(retained("r/#")).isEmpty();
	}

	@Test
	void keepsLastOfSeveralMessages() throws Exception {
		try (RawMqttConnection client = client("c")) {
			publishAll(client, "1", "2", "", "3");
		}
		assertThat(retained("r/#")).hasSize(TOPICS).containsValue("3").doesNotContainValue("2");
		restart();
		assertThat(retained("r/#")).hasSize(TOPICS).containsValue("3").doesNotContainValue("2");
	}

	@Test
	void restoresNoClearedMessage() throws Exception {
		try (RawMqttConnection client = client("c")) {
			publishAll(client, "0", "1", "2", "3", "4", "5");
			assertThat(retained("r/#")).hasSize(TOPICS);
			publishAll(client, "");
		}
		restart();
		assertThat(retained("r/#")).isEmpty();
	}

	@Test
	void keepsOneMessageOfConcurrentPublishers() throws Exception {
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
				// Clients of Artemis cannot create the same queue at the same time.
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
		restart();
		assertThat(retained("r/#")).isEqualTo(before);
		try (RawMqttConnection client = client("c")) {
			publishAll(client, "");
		}
		restart();
		assertThat(retained("r/#")).isEmpty();
	}

	@Test
	void keepsOneFileOfLargeMessage() throws Exception {
		try (RawMqttConnection client = client("c")) {
			for (int i = 0; i < 10; i++) {
				client.send(retained(client, "large", 1, i + "x".repeat(LARGE)));
				assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			}
			await().until(() -> largeMessages() == 1);
			restart();
			assertThat(retained("large").get("large")).startsWith("9x");
		}
		try (RawMqttConnection client = client("c")) {
			client.send(retained(client, "large", 1, ""));
			client.receive(PacketType.PUBACK);
			await().until(() -> largeMessages() == 0);
		}
	}

	@Test
	void keepsLargeMessageOfQos0() throws Exception {
		try (RawMqttConnection client = client("c")) {
			client.send(retained(client, "large", 0, "x".repeat(LARGE)));
			client.ping();
		}
		await().until(() -> retained("large").size() == 1);
		restart();
		assertThat(retained("large").get("large")).hasSize(LARGE);
	}

	@Test
	void copiesNoOwnMessageWithNoLocal() throws Exception {
		try (RawMqttConnection client = client("c")) {
			client.send(client.subscribe("large", 1 | NO_LOCAL));
			client.receive(PacketType.SUBACK);
			client.send(retained(client, "large", 1, "x".repeat(LARGE)));
			client.receive(PacketType.PUBACK);
			client.send(client.subscribe("large", 1 | NO_LOCAL));
			client.receive(PacketType.SUBACK);
			await().until(() -> largeMessages() == 1);
			assertThat(artemis().locateQueue("c/.large").getMessageCount()).isZero();
		}
	}

	@Test
	void refusesCopiesWithoutSpaceOnDisk() throws Exception {
		try (RawMqttConnection client = client("c")) {
			client.send(retained(client, "r/large", 1, "x".repeat(LARGE)));
			client.receive(PacketType.PUBACK);
			client.send(retained(client, "small", 1, "x"));
			client.receive(PacketType.PUBACK);
			setFree(LARGE - 1);
			for (String filter : List.of("r/#", "r/large", "+/large", "#", "r/+", "r/large/#", "$share/g/r/#")) {
				client.send(client.subscribe(filter, 1));
				assertThat(client.receiveReason(PacketType.SUBACK)).as(filter).isEqualTo(0x97);
			}
			client.subscribed("r/x/#", 1);
			client.send(client.subscribe("r/#", 1 | RETAIN_NEVER));
			assertThat(client.receiveReason(PacketType.SUBACK)).isEqualTo(1);
			setFree(4 * LARGE);
			client.unsubscribed("r/#");
			for (int i = 0; i < 3; i++) {
				assertThat(retained("r/#")).hasSize(1);
				checkDisk();
			}
		}
	}

	/** Sets the free space above the limit, in bytes. */
	private void setFree(long bytes) throws ReflectiveOperationException {
		Field field = DiskState.class.getDeclaredField("freeSpace");
		field.setAccessible(true);
		Object source = Proxy.newProxyInstance(DiskState.class.getClassLoader(), new Class<?>[] { field.getType() },
				(proxy, method, arguments) -> MIN_FREE + bytes);
		field.set(disk(), source);
		checkDisk();
	}

	private void checkDisk() {
		disk().check();
	}

	private DiskState disk() {
		return assertThat(this.broker).extracting("artemis.disk", InstanceOfAssertFactories.type(DiskState.class))
			.actual();
	}

	private long largeMessages() throws IOException {
		try (Stream<Path> files = Files.list(this.directory.resolve("mqtt/large-messages"))) {
			return files.count();
		}
	}

}
