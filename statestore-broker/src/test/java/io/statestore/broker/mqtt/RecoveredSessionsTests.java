package io.statestore.broker.mqtt;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.broker.log.LogException;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.StorageOptions;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Sessions from an earlier process: their expiry, their memory, and damaged files. */
class RecoveredSessionsTests {

	private static final int MAX_PACKET_SIZE = 5_000_000;

	/** DISCONNECT that ends the session. */
	private static final byte[] DISCONNECT_WITHOUT_EXPIRY = { (byte) 0xE0, 7, 0, 5, 0x11, 0, 0, 0, 0 };

	@TempDir
	Path directory;

	private DurableBroker broker;

	/** Connections whose sockets the garbage collector must not close. */
	private final List<RawMqttConnection> open = new ArrayList<>();

	@BeforeEach
	void startBroker() {
		this.broker = DurableBroker.in(this.directory)
			.with(new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE))
			.start();
	}

	@AfterEach
	void stopBroker() {
		this.broker.close();
	}

	private void awaitEnd(String clientId) {
		await().until(() -> this.broker.sessions().find(clientId) == null);
	}

	private RawMqttConnection session(String clientId, int expirySeconds) throws Exception {
		RawMqttConnection client = new RawMqttConnection(this.broker.port());
		assertThat(client
			.connect(RawConnect.of(clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(expirySeconds)).cleanStart(true))
			.reason()).isZero();
		return client;
	}

	private void subscribe(String clientId, int expirySeconds, String topic) throws Exception {
		try (RawMqttConnection client = session(clientId, expirySeconds)) {
			client.subscribed(topic, 1);
			client.send(RawControl.disconnect(0));
			client.assertClosed();
		}
		this.broker.awaitChanges();
	}

	private boolean continueSession(String clientId) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			return StoredSessionsTest.continueSession(client, clientId);
		}
	}

	private void publish(String topic, String payload) throws Exception {
		try (RawMqttConnection client = this.broker.client("publisher")) {
			StoredSessionsTest.publish(client, topic, payload);
		}
	}

	@Test
	void endsSessionAfterItsExpiry() throws Exception {
		subscribe("short", 50, "t");
		subscribe("long", 100, "t");
		this.broker.restart();
		this.broker.pass(Duration.ofSeconds(60));
		awaitEnd("short");
		assertThat(continueSession("short")).isFalse();
		assertThat(continueSession("long")).isTrue();
	}

	@Test
	void newSessionReceivesNoMessageFromExpiredSession() throws Exception {
		subscribe("c", 50, "t");
		publish("t", "old");
		this.broker.restart();
		this.broker.pass(Duration.ofSeconds(60));
		awaitEnd("c");
		try (RawMqttConnection client = session("c", 50)) {
			client.subscribed("t", 1);
			publish("t", "new");
			assertThat(client.receivePublish().text()).isEqualTo("new");
		}
	}

	@Test
	void countsTimeBeforeRestartTowardExpiry() throws Exception {
		subscribe("c", 100, "t");
		this.broker.pass(Duration.ofSeconds(60));
		this.broker.restart();
		this.broker.pass(Duration.ofSeconds(60));
		awaitEnd("c");
		this.broker.restart();
		assertThat(continueSession("c")).isFalse();
	}

	@Test
	void endsSessionFromThisProcessAfterItsExpiry() throws Exception {
		subscribe("short", 50, "t");
		subscribe("month", 30 * 24 * 3600, "t");
		this.broker.pass(Duration.ofSeconds(60));
		awaitEnd("short");
		assertThat(continueSession("short")).isFalse();
		assertThat(continueSession("month")).isTrue();
	}

	@Test
	void publishesWillUnlessInterruptedClientReturns() throws Exception {
		subscribe("watcher", StoredSessionsTest.HOUR, "wills/#");
		subscribe("short", 10, "t");
		connectWithWill("gone");
		connectWithWill("returning");
		this.broker.restart();
		try (RawMqttConnection returned = connectWithWill("returning");
				RawMqttConnection watcher = new RawMqttConnection(this.broker.port())) {
			assertThat(StoredSessionsTest.continueSession(watcher, "watcher")).isTrue();
			this.broker.pass(Duration.ofSeconds(20));
			awaitEnd("short");
			watcher.ping();
			this.broker.pass(Duration.ofSeconds(10));
			RawPublish will = watcher.receivePublish();
			assertThat(will.topic).isEqualTo("wills/gone");
			watcher.acknowledge(will);
			returned.ping();
			publish("wills/end", "end");
			assertThat(watcher.receivePublish().text()).isEqualTo("end");
		}
	}

	/** Opens a connection that the end of the broker will interrupt. */
	private RawMqttConnection connectWithWill(String clientId) throws Exception {
		RawMqttConnection client = new RawMqttConnection(this.broker.port());
		assertThat(client.connect(RawConnect.of(clientId).will(RawPublish.of((will) -> {
			will.topic = "wills/" + clientId;
			will.qos = 1;
		}))).reason()).isZero();
		this.open.add(client);
		return client;
	}

	@Test
	void reservesMemoryForRecoveredSessions() throws Exception {
		subscribe("c", StoredSessionsTest.HOUR, "t");
		try (RawMqttConnection client = this.broker.client("publisher")) {
			StoredSessionsTest.retain(client, "retained", 1, "x".repeat(10_000));
		}
		this.broker.budget = MemoryBudget.unlimited();
		this.broker.restart();
		assertThat(this.broker.budget.used(MemoryUse.SESSION)).isBetween(1_000L, 2_000L);
		assertThat(this.broker.budget.used(MemoryUse.RETAINED)).isBetween(10_000L, 11_000L);
		session("c", 0).close();
		try (RawMqttConnection client = this.broker.client("publisher")) {
			StoredSessionsTest.retain(client, "retained", 1, "");
		}
		await().until(() -> this.broker.budget.used() == 0);
	}

	@Test
	void startsWithMoreSessionsThanMemoryAllows() throws Exception {
		for (int i = 0; i < 20; i++) {
			subscribe("c" + i, StoredSessionsTest.HOUR, "t/" + i);
		}
		publish("t/7", "x".repeat(300_000));
		this.broker.budget = MemoryBudget.of(256 * 1024);
		this.broker.restart();
		assertThat(this.broker.budget.used(MemoryUse.SESSION)).isGreaterThan(this.broker.budget.maxBytes());
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect("refused").reason()).isEqualTo(0x97);
		}
	}

	@Test
	void keepsLargeMessages() throws Exception {
		String payload = "x".repeat(3_000_000);
		subscribe("c", StoredSessionsTest.HOUR, "t");
		publish("t", payload);
		this.broker.restart();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(StoredSessionsTest.continueSession(client, "c")).isTrue();
			assertThat(client.receivePublish().text()).isEqualTo(payload);
		}
	}

	@Test
	void forgetsSessionThatEndsOnDisconnect() throws Exception {
		try (RawMqttConnection client = session("c", StoredSessionsTest.HOUR)) {
			client.sendBytes(DISCONNECT_WITHOUT_EXPIRY);
			client.assertClosed();
		}
		this.broker.awaitChanges();
		assertThat(this.broker.sessions().count()).isZero();
		this.broker.restart();
		assertThat(continueSession("c")).isFalse();
	}

	@Test
	void forgetsReleasedMessage() throws Exception {
		RawPublish message;
		try (RawMqttConnection client = session("publisher", StoredSessionsTest.HOUR)) {
			message = client.publish("t", 2, "x");
			client.send(message);
			client.receive(PacketType.PUBREC);
			client.send(RawControl.acknowledgment(PacketType.PUBREL, message.packetId));
			client.receive(PacketType.PUBCOMP);
		}
		this.broker.restart();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port());
				RawMqttConnection subscriber = this.broker.client("subscriber")) {
			StoredSessionsTest.continueSession(client, "publisher");
			subscriber.subscribed("t", 1);
			message.dup = true;
			client.send(message);
			assertThat(subscriber.receivePublish().text()).isEqualTo("x");
		}
	}

	@ParameterizedTest
	@EnumSource(Fsync.class)
	void keepsMessagesWithEveryPolicy(Fsync fsync) throws Exception {
		this.broker.with(StorageOptions.in(this.directory).withFsync(fsync).withFsyncInterval(Duration.ofMillis(5)))
			.restart();
		subscribe("c", StoredSessionsTest.HOUR, "t");
		publish("t", "x");
		this.broker.restart();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(StoredSessionsTest.continueSession(client, "c")).isTrue();
			assertThat(client.receivePublish().text()).isEqualTo("x");
		}
	}

	@Test
	void refusesDamagedSession() throws Exception {
		subscribe("damaged", StoredSessionsTest.HOUR, "t");
		subscribe("d", StoredSessionsTest.HOUR, "t");
		stopBroker();
		Path file;
		try (Stream<Path> segments = Files.list(this.directory.resolve("log"))) {
			file = segments.findFirst().orElseThrow();
		}
		byte[] bytes = Files.readAllBytes(file);
		bytes[new String(bytes, StandardCharsets.ISO_8859_1).indexOf("damaged")] ^= 1;
		Files.write(file, bytes);
		assertThatExceptionOfType(LogException.class).isThrownBy(this.broker::start)
			.withMessageContaining(file.toString());
	}

	@Test
	void forgetsStoreMessages() throws Exception {
		try (RawMqttConnection client = session("c", StoredSessionsTest.HOUR)) {
			client.subscribed("replies", 1);
			client.send(MqttBrokerTest.request(client, "hello", "replies"));
			assertThat(client.receivePublish().text()).isEqualTo("hello");
		}
		this.broker.restart();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(StoredSessionsTest.continueSession(client, "c")).isTrue();
			publish("replies", "end");
			assertThat(client.receivePublish().text()).isEqualTo("end");
		}
	}

	@Test
	void writesNothingForRequestsAndNewTopics() throws Exception {
		try (RawMqttConnection client = this.broker.client("c")) {
			client.subscribed("replies", 1);
			byte[] before = journal();
			for (int i = 0; i < 10; i++) {
				client.send(MqttBrokerTest.request(client, "request " + i, "replies"));
				client.receive();
				client.receive();
				StoredSessionsTest.publish(client, "topic/" + i, "x");
			}
			assertThat(Arrays.equals(journal(), before)).isTrue();
		}
	}

	private byte[] journal() throws IOException {
		try (Stream<Path> files = Files.walk(this.directory)) {
			StringBuilder content = new StringBuilder();
			for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
				content.append(file).append(Arrays.hashCode(Files.readAllBytes(file)));
			}
			return content.toString().getBytes(StandardCharsets.UTF_8);
		}
	}

	@Test
	void writesNoFileWithoutDirectory() throws Exception {
		stopBroker();
		Path working = Path.of("").toAbsolutePath();
		try (Stream<Path> before = Files.list(working)) {
			long files = before.count();
			try (MqttBroker inMemory = MqttBroker.start(new MqttBrokerSettings("localhost", 0, MAX_PACKET_SIZE),
					new EchoServer(), MemoryBudget.unlimited());
					RawMqttConnection client = new RawMqttConnection(inMemory.port())) {
				client.connect("c", PropertyType.SESSION_EXPIRY_INTERVAL.of(StoredSessionsTest.HOUR));
				client.subscribed("t", 1);
				StoredSessionsTest.publish(client, "t", "x");
				assertThat(client.receivePublish().text()).isEqualTo("x");
			}
			try (Stream<Path> after = Files.list(working)) {
				assertThat(after.count()).isEqualTo(files);
			}
		}
	}

}
