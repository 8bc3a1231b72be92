package io.statestore.broker.mqtt;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.statestore.broker.artemis.disk.JournalContext;
import io.statestore.broker.artemis.disk.SessionFile;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTSessionState;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTStateManager;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** New connections of clients whose QoS 2 messages still wait for the disk. */
class StoredTakeoverTests extends MqttBrokerTest {

	private static final String CLIENT = "publisher";

	@TempDir
	Path directory;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	/** Context of a connection that waits for the disk. */
	private @Nullable JournalContext stalled;

	@Override
	protected MqttBrokerSettings settings() {
		return super.settings().withStorage(StorageOptions.in(this.directory));
	}

	@AfterEach
	void stopThreads() {
		endStall();
		this.threads.shutdownNow();
	}

	@Test
	void acknowledgesRepeatedMessageOnlyWhenStored() throws Exception {
		try (RawMqttConnection client = session(true); RawMqttConnection again = newConnection()) {
			stall();
			RawPublish message = send(client);
			Future<?> acknowledgment = this.threads.submit(() -> {
				again.connect(connect(false));
				message.dup = true;
				again.send(message);
				return again.receive(PacketType.PUBREC);
			});
			await().during(Duration.ofMillis(200)).until(() -> !acknowledgment.isDone());
			endStall();
			acknowledgment.get();
			assertThat(received()).containsExactly(message.packetId);
		}
	}

	@Test
	void newSessionDoesNotContainMessageOfEarlierOne() throws Exception {
		try (RawMqttConnection client = session(true); RawMqttConnection again = newConnection()) {
			stall();
			RawPublish message = send(client);
			Future<RawControl> connack = this.threads.submit(() -> again.connect(connect(true)));
			await().during(Duration.ofMillis(200)).until(() -> true);
			endStall();
			assertThat(connack.get().sessionPresent()).isFalse();
			RawPublish next = again.publish("t", 2, "next");
			next.packetId = message.packetId + 1;
			again.send(next);
			assertThat(again.receive(PacketType.PUBREC).packetId()).isEqualTo(next.packetId);
			assertThat(received()).containsExactly(next.packetId);
		}
	}

	private RawMqttConnection newConnection() throws Exception {
		return new RawMqttConnection(this.broker.port());
	}

	private RawMqttConnection session(boolean cleanStart) throws Exception {
		RawMqttConnection client = newConnection();
		assertThat(client.connect(connect(cleanStart)).reason()).isZero();
		return client;
	}

	private static RawConnect connect(boolean cleanStart) {
		return RawConnect.of(CLIENT, PropertyType.SESSION_EXPIRY_INTERVAL.of(60)).cleanStart(cleanStart);
	}

	/** Sends a message, which the broker has received but not acknowledged. */
	private RawPublish send(RawMqttConnection client) throws Exception {
		RawPublish message = client.publish("t", 2, "x");
		client.send(message);
		await().until(() -> state().getPubRec().contains(message.packetId));
		return message;
	}

	/** Lets the connection wait for the disk. */
	private void stall() throws Exception {
		this.stalled = (JournalContext) state().getSession().getSessionContext();
		this.stalled.storeLineUp();
	}

	private void endStall() {
		if (this.stalled != null) {
			this.stalled.done();
			this.stalled = null;
		}
	}

	private MQTTSessionState state() throws Exception {
		return MQTTStateManager
			.getInstance(assertThat(this.broker)
				.extracting("artemis.server", InstanceOfAssertFactories.type(ActiveMQServer.class))
				.actual())
			.getSessionState(CLIENT + '/');
	}

	/** Returns the identifiers that the file of sessions contains. */
	private Set<Integer> received() {
		Set<Integer> received = new HashSet<>();
		assertThat(this.broker).extracting("artemis.file", InstanceOfAssertFactories.type(SessionFile.class))
			.actual()
			.read(CLIENT + '/', (session) -> received.addAll(session.received()));
		return received;
	}

}
