package io.statestore.broker.mqtt;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.statestore.broker.artemis.disk.SentMessage;
import io.statestore.broker.artemis.disk.SessionChange.Subscribed;
import io.statestore.broker.artemis.disk.SessionFile;
import io.statestore.broker.artemis.disk.StoredSubscription;
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
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.core.message.impl.CoreMessage;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTStateManager;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.Queue;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Sessions of an earlier process: their expiry, their memory, and damaged files. */
class RecoveredSessionsTests {

	/** DISCONNECT that ends the session. */
	private static final byte[] DISCONNECT_WITHOUT_EXPIRY = { (byte) 0xE0, 7, 0, 5, 0x11, 0, 0, 0, 0 };

	@TempDir
	Path directory;

	private final AtomicLong nanos = new AtomicLong();

	private MemoryBudget budget = MemoryBudget.unlimited();

	private MqttBroker broker;

	@BeforeEach
	void startBroker() {
		start(StorageOptions.in(this.directory));
	}

	private void start(@Nullable StorageOptions storage) {
		MqttBrokerSettings settings = new MqttBrokerSettings("localhost", 0, 5_000_000);
		this.broker = MqttBroker.start((storage != null) ? settings.withStorage(storage) : settings, new EchoServer(),
				this.budget, () -> System.nanoTime() + this.nanos.get());
	}

	@AfterEach
	void stopBroker() {
		this.broker.close();
	}

	private void restart() {
		stopBroker();
		startBroker();
	}

	private ActiveMQServer artemis() {
		return assertThat(this.broker)
			.extracting("artemis.server", InstanceOfAssertFactories.type(ActiveMQServer.class))
			.actual();
	}

	private @Nullable Queue queue(String name) {
		return artemis().locateQueue(name);
	}

	private void awaitEnd(String clientId) {
		await().until(() -> !MQTTStateManager.getInstance(artemis()).getSessionStates().containsKey(clientId + '/'));
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
		}
	}

	private boolean continueSession(String clientId) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			return StoredSessionsTest.continueSession(client, clientId);
		}
	}

	private void publish(String topic, String payload) throws Exception {
		try (RawMqttConnection client = RawMqttConnection.connected(this.broker.port(), "publisher")) {
			StoredSessionsTest.publish(client, topic, payload);
		}
	}

	@Test
	void endsSessionWhenItsExpiryHasPassed() throws Exception {
		subscribe("short", 50, "t");
		subscribe("long", 100, "t");
		restart();
		this.nanos.addAndGet(Duration.ofSeconds(60).toNanos());
		awaitEnd("short");
		assertThat(continueSession("short")).isFalse();
		assertThat(continueSession("long")).isTrue();
	}

	@Test
	void newSessionReceivesNoMessageOfExpiredOne() throws Exception {
		subscribe("c", 50, "t");
		publish("t", "old");
		restart();
		this.nanos.addAndGet(Duration.ofSeconds(60).toNanos());
		awaitEnd("c");
		try (RawMqttConnection client = session("c", 50)) {
			client.subscribed("t", 1);
			publish("t", "new");
			assertThat(client.receivePublish().text()).isEqualTo("new");
		}
	}

	@Test
	void countsTimeBeforeRestartTowardsExpiry() throws Exception {
		subscribe("c", 100, "t");
		await().until(() -> isDetached("c"));
		this.nanos.addAndGet(Duration.ofSeconds(60).toNanos());
		restart();
		this.nanos.addAndGet(Duration.ofSeconds(60).toNanos());
		awaitEnd("c");
		restart();
		assertThat(continueSession("c")).isFalse();
	}

	@Test
	void keepsSessionAfterJumpOfWallClock() throws Exception {
		subscribe("c", 50, "t");
		MQTTStateManager manager = MQTTStateManager.getInstance(artemis());
		await().until(() -> !manager.getSessionState("c/").isAttached());
		manager.getSessionState("c/").setDisconnectedTime(1);
		manager.scanSessions();
		assertThat(continueSession("c")).isTrue();
	}

	@Test
	void endsSessionOfThisProcessWhenItsExpiryHasPassed() throws Exception {
		subscribe("short", 50, "t");
		subscribe("long", 100, "t");
		await().until(() -> isDetached("long"));
		this.nanos.addAndGet(Duration.ofSeconds(60).toNanos());
		awaitEnd("short");
		assertThat(continueSession("short")).isFalse();
		assertThat(continueSession("long")).isTrue();
	}

	/** Returns whether the file contains the end of a connection. */
	private boolean isDetached(String clientId) throws IOException {
		String content = Files.readString(this.directory.resolve("mqtt/sessions"), StandardCharsets.ISO_8859_1);
		return content.lastIndexOf(clientId + "/\0\0\0d\0\0") > content.lastIndexOf(clientId + "/\0\0\0d\377");
	}

	@Test
	void removesQueuesOfSessionsThatEndedWithProcess() throws Exception {
		try (RawMqttConnection client = RawMqttConnection.connected(this.broker.port(), "brief")) {
			client.subscribed("t", 1);
			client.subscribed("$share/g/s", 1);
			restart();
		}
		assertThat(queue("brief/.t")).isNull();
		assertThat(queue("g.s")).isNull();
	}

	@Test
	void reservesMemoryOfRecoveredSessions() throws Exception {
		subscribe("c", StoredSessionsTest.HOUR, "t");
		try (RawMqttConnection client = RawMqttConnection.connected(this.broker.port(), "publisher")) {
			StoredSessionsTest.retain(client, "retained", 1, "x".repeat(10_000));
		}
		this.budget = MemoryBudget.unlimited();
		restart();
		assertThat(this.budget.used(MemoryUse.SESSION)).isGreaterThan(25_000);
		assertThat(this.budget.used(MemoryUse.TOPIC)).isPositive();
		await().until(() -> this.budget.used(MemoryUse.RETAINED) > 40_000);
		session("c", 0).close();
		try (RawMqttConnection client = RawMqttConnection.connected(this.broker.port(), "publisher")) {
			StoredSessionsTest.retain(client, "retained", 1, "");
		}
		await().until(() -> this.budget.used(MemoryUse.SESSION) == 0 && this.budget.used(MemoryUse.RETAINED) == 0);
	}

	@Test
	void startsWithMoreSessionsThanMemory() throws Exception {
		for (int i = 0; i < 20; i++) {
			subscribe("c" + i, StoredSessionsTest.HOUR, "t/" + i);
		}
		publish("t/7", "x");
		this.budget = MemoryBudget.of(256 * 1024);
		restart();
		assertThat(this.budget.used(MemoryUse.SESSION)).isGreaterThan(this.budget.maxBytes());
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(client.connect("refused").reason()).isEqualTo(0x97);
		}
	}

	@Test
	void keepsLargeMessages() throws Exception {
		String payload = "x".repeat(3_000_000);
		subscribe("c", StoredSessionsTest.HOUR, "t");
		publish("t", payload);
		restart();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(StoredSessionsTest.continueSession(client, "c")).isTrue();
			assertThat(client.receivePublish().text()).isEqualTo(payload);
		}
	}

	@Test
	void removesLargeMessageThatIsIncomplete() throws Exception {
		subscribe("c", StoredSessionsTest.HOUR, "t");
		publish("t", "x".repeat(1_000_000));
		stopBroker();
		try (Stream<Path> messages = Files.list(this.directory.resolve("mqtt/large-messages"))) {
			Path file = messages.findFirst().orElseThrow();
			try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
				channel.truncate(100);
			}
		}
		startBroker();
		publish("t", "end");
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(StoredSessionsTest.continueSession(client, "c")).isTrue();
			assertThat(client.receivePublish().payload).hasSize(3);
		}
	}

	@Test
	void forgetsPacketIdsOfEndedSubscriptions() throws Exception {
		try (RawMqttConnection client = session("c", StoredSessionsTest.HOUR)) {
			client.subscribed("a", 1);
			client.subscribed("b", 1);
			publish("a", "x");
			client.receivePublish();
			publish("b", "x");
			client.receivePublish();
			assertThat(sent("c")).hasSize(2);
			client.unsubscribed("a");
			assertThat(sent("c")).containsOnlyKeys(2);
		}
		session("c", StoredSessionsTest.HOUR).close();
		assertThat(sent("c")).isEmpty();
	}

	@Test
	void forgetsSessionThatEndsWithItsDisconnect() throws Exception {
		try (RawMqttConnection client = session("c", StoredSessionsTest.HOUR)) {
			client.sendBytes(DISCONNECT_WITHOUT_EXPIRY);
			client.assertClosed();
			Set<String> stored = new HashSet<>();
			file().forEach((clientId, session) -> stored.add(clientId));
			assertThat(stored).isEmpty();
		}
	}

	@Test
	void ignoresRepetitionOfMessageAfterFailedWrite() throws Exception {
		subscribe("c", StoredSessionsTest.HOUR, "t");
		RawPublish message;
		try (RawMqttConnection client = session("publisher", StoredSessionsTest.HOUR)) {
			failNextWrite();
			message = client.publish("t", 2, "once");
			client.send(message);
			client.assertClosed();
		}
		await().until(() -> !artemisFileFailed());
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(StoredSessionsTest.continueSession(client, "publisher")).isTrue();
			message.dup = true;
			client.send(message);
			assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
			file().read("publisher/", (session) -> assertThat(session.received()).containsExactly(message.packetId));
		}
		publish("t", "end");
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			StoredSessionsTest.continueSession(client, "c");
			assertThat(client.receivePublish().text()).isEqualTo("once");
			assertThat(client.receivePublish().text()).isEqualTo("end");
		}
	}

	@Test
	void confirmsNoSubscriptionThatIsNotStored() throws Exception {
		try (RawMqttConnection client = session("c", StoredSessionsTest.HOUR)) {
			failNextWrite();
			client.send(client.subscribe("t", 1));
			client.assertClosed();
		}
	}

	@Test
	void createsNoSessionForSubscriptionOfEndedOne() throws Exception {
		try (RawMqttConnection client = session("c", StoredSessionsTest.HOUR)) {
			MQTTStateManager.getInstance(artemis()).removeSessionState("c/");
			client.send(client.subscribe("t", 1));
			client.assertClosed();
			assertThat(MQTTStateManager.getInstance(artemis()).getSessionStates()).doesNotContainKey("c/");
		}
	}

	@Test
	void acceptsNewSessionThatCannotBeStored() throws Exception {
		failNextWrite();
		try (RawMqttConnection client = session("c", StoredSessionsTest.HOUR)) {
			client.subscribed("t", 1);
			await().until(() -> {
				Set<String> filters = new HashSet<>();
				file().read("c/", (session) -> filters.addAll(session.subscriptions().keySet()));
				return !filters.isEmpty();
			});
		}
	}

	/** Returns whether writes to the file of sessions fail. */
	private boolean artemisFileFailed() throws ReflectiveOperationException {
		Object file = assertThat(this.broker).extracting("artemis.file.file").actual();
		Field failure = file.getClass().getDeclaredField("failure");
		failure.setAccessible(true);
		return failure.get(file) != null;
	}

	@Test
	void forgetsReleasedMessage() throws Exception {
		try (RawMqttConnection client = session("publisher", StoredSessionsTest.HOUR)) {
			RawPublish message = client.publish("t", 2, "x");
			client.send(message);
			client.receive(PacketType.PUBREC);
			file().read("publisher/", (session) -> assertThat(session.received()).hasSize(1));
			client.send(RawControl.acknowledgment(PacketType.PUBREL, message.packetId));
			client.receive(PacketType.PUBCOMP);
			file().read("publisher/", (session) -> assertThat(session.received()).isEmpty());
		}
	}

	/** Lets writes to the file of sessions fail until the file is written anew. */
	private void failNextWrite() throws ReflectiveOperationException {
		Object file = assertThat(this.broker).extracting("artemis.file.file").actual();
		Field failure = file.getClass().getDeclaredField("failure");
		failure.setAccessible(true);
		failure.set(file, new IOException("broken"));
	}

	private SessionFile file() {
		return assertThat(this.broker).extracting("artemis.file", InstanceOfAssertFactories.type(SessionFile.class))
			.actual();
	}

	private Map<Integer, SentMessage> sent(String clientId) {
		Map<Integer, SentMessage> sent = new HashMap<>();
		file().read(clientId + '/', (session) -> sent.putAll(session.sent()));
		return sent;
	}

	@ParameterizedTest
	@EnumSource(Fsync.class)
	void keepsMessagesWithEveryPolicy(Fsync fsync) throws Exception {
		stopBroker();
		start(StorageOptions.in(this.directory).withFsync(fsync).withFsyncInterval(Duration.ofMillis(5)));
		subscribe("c", StoredSessionsTest.HOUR, "t");
		publish("t", "x");
		restart();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(StoredSessionsTest.continueSession(client, "c")).isTrue();
			assertThat(client.receivePublish().text()).isEqualTo("x");
		}
	}

	@Test
	void refusesDamagedFileOfSessions() throws Exception {
		subscribe("c", StoredSessionsTest.HOUR, "t");
		subscribe("d", StoredSessionsTest.HOUR, "t");
		stopBroker();
		Path file = this.directory.resolve("mqtt/sessions");
		byte[] bytes = Files.readAllBytes(file);
		bytes[30] ^= 1;
		Files.write(file, bytes);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::startBroker)
			.withMessageContaining(file.toString());
	}

	/** As a version without a limit of levels has stored them. */
	@Test
	void endsDeepSubscriptionsAndRemovesDeepRetainedMessages() throws Exception {
		String topic = "a/".repeat(400) + "b";
		String queue = "c/." + topic.replace('/', '.');
		String retained = "$sys.mqtt.retain." + topic.replace('/', '.');
		subscribe("c", StoredSessionsTest.HOUR, "t");
		publish("t", "stored");
		for (String name : List.of(queue, retained)) {
			String address = name.substring(name.startsWith("c/.") ? 3 : 0);
			artemis()
				.createQueue(QueueConfiguration.of(name).setAddress(address).setRoutingType(RoutingType.MULTICAST));
			CoreMessage message = new CoreMessage(artemis().getStorageManager().generateID(), 100);
			artemis().getPostOffice().route(message.setAddress(address).setDurable(true), false);
		}
		stopBroker();
		try (SessionFile file = SessionFile.open(this.directory.resolve("mqtt/sessions"), true, System::nanoTime)) {
			file.append("c/", (session) -> List
				.of(new Subscribed("c/", new StoredSubscription(topic, 1, false, false, 0, null))));
		}
		for (int i = 0; i < 2; i++) {
			startBroker();
			assertThat(queue(queue)).isNull();
			assertThat(queue(retained)).isNull();
			stopBroker();
		}
		startBroker();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(StoredSessionsTest.continueSession(client, "c")).isTrue();
			assertThat(client.receivePublish().text()).isEqualTo("stored");
			assertThat(queue(queue)).isNull();
		}
	}

	@Test
	void refusesDamagedJournal() throws Exception {
		stopBroker();
		Path file = this.directory.resolve("mqtt/journal/activemq-data-1.amq");
		byte[] bytes = Files.readAllBytes(file);
		bytes[2] ^= 1;
		Files.write(file, bytes);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::startBroker)
			.withMessageContaining(this.directory.resolve("mqtt").toString());
	}

	@Test
	void forgetsMessagesOfTheStore() throws Exception {
		try (RawMqttConnection client = session("c", StoredSessionsTest.HOUR);
				RawMqttConnection requester = RawMqttConnection.connected(this.broker.port(), "requester")) {
			client.subscribed("replies", 1);
			RawPublish request = MqttBrokerTest.request(requester, "hello", "replies");
			requester.send(request);
			requester.receive(PacketType.PUBACK);
			assertThat(client.receivePublish().text()).isEqualTo("hello");
		}
		restart();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(StoredSessionsTest.continueSession(client, "c")).isTrue();
			publish("replies", "end");
			assertThat(client.receivePublish().text()).isEqualTo("end");
		}
	}

	@Test
	void writesNothingForRequestsAndNewTopics() throws Exception {
		try (RawMqttConnection client = RawMqttConnection.connected(this.broker.port(), "c")) {
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
			start(null);
			subscribe("c", StoredSessionsTest.HOUR, "t");
			publish("t", "x");
			stopBroker();
			try (Stream<Path> after = Files.list(working)) {
				assertThat(after.count()).isEqualTo(files);
			}
		}
	}

}
