package io.statestore.broker.crash;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tests ordinary MQTT messages of a broker whose disk another process suddenly fills. */
@Tag("long")
@Tag("nightly")
@Timeout(300)
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs LD_PRELOAD")
@RequiresProgram("gcc")
class StoredMessagesFaultTests {

	private static final String TOPIC = "t";

	private static final String OTHER = "other";

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@TempDir
	Path work;

	private PowerCutShim shim;

	@BeforeEach
	void compile() throws Exception {
		this.shim = new PowerCutShim(this.work.resolve("shim"), this.work.resolve("data"));
	}

	@AfterEach
	void stopThreads() {
		this.threads.shutdownNow();
	}

	private StandaloneProcess start() {
		return StandaloneProcess.start(this.shim.environment(), "--port", "0", "--data-directory",
				this.shim.directory().toString());
	}

	/** Makes the broker store messages of another topic. */
	private static void subscribe(int port) throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(port)) {
			client.connect(RawConnect.of("absent", PropertyType.SESSION_EXPIRY_INTERVAL.of(3_600)).cleanStart(true));
			client.subscribed(OTHER, 1);
		}
	}

	private static int publish(RawMqttConnection client) throws Exception {
		client.send(client.publish(OTHER, 1, "x"));
		return client.receiveReason(PacketType.PUBACK);
	}

	@Test
	void continuesAfterFullDiskWithoutRestart() throws Exception {
		Set<Integer> accepted;
		try (StandaloneProcess broker = start();
				StoreClient reader = StoreClient.connect(broker.port(), "reader");
				RawMqttConnection other = RawMqttConnection.connected(broker.port(), "other")) {
			reader.call("SET", "kept", "value");
			try (RawMqttConnection subscriber = StoredMessages.subscriber(broker.port(), true)) {
				subscriber.subscribed(TOPIC, 1);
			}
			StoredMessages publisher = new StoredMessages(RawMqttConnection.connected(broker.port(), "publisher"),
					TOPIC, 1);
			Future<Void> result = this.threads.submit(publisher);
			await("messages").until(() -> publisher.accepted().size() > 100);
			subscribe(broker.port());
			this.shim.full(true);
			await("a refused message").until(() -> publish(other) == StoredMessages.REFUSED);
			assertThat(reader.value("kept")).isEqualTo("value");
			try (StoreClient late = StoreClient.connect(broker.port(), "late")) {
				assertThat(late.value("kept")).isEqualTo("value");
			}
			int before = publisher.accepted().size();
			this.shim.full(false);
			await("an accepted message").until(() -> publish(other) == 0);
			await("more messages").until(() -> publisher.accepted().size() > before + 100);
			publisher.stop();
			result.get(20, TimeUnit.SECONDS);
			accepted = publisher.accepted();
			broker.kill();
		}
		try (StandaloneProcess broker = start();
				RawMqttConnection subscriber = StoredMessages.subscriber(broker.port(), false)) {
			assertThat(StoredMessages.receiveAll(subscriber, TOPIC, broker.port())).containsAll(accepted);
		}
	}

	@Test
	void storesAcknowledgmentsOnFullDisk() throws Exception {
		Set<Integer> left;
		try (StandaloneProcess broker = start();
				RawMqttConnection client = RawMqttConnection.connected(broker.port(), "publisher")) {
			try (RawMqttConnection subscriber = StoredMessages.subscriber(broker.port(), true)) {
				subscriber.subscribed(TOPIC, 1);
			}
			StoredMessages publisher = new StoredMessages(client, TOPIC, 1);
			Future<Void> result = this.threads.submit(publisher);
			await("messages").until(() -> publisher.accepted().size() > 300);
			publisher.stop();
			result.get(20, TimeUnit.SECONDS);
			left = new HashSet<>(publisher.accepted());
			this.shim.full(true);
			try (RawMqttConnection subscriber = StoredMessages.subscriber(broker.port(), false)) {
				for (int i = 0; i < 200; i++) {
					RawPublish message = subscriber.receivePublish();
					subscriber.acknowledge(message);
					left.remove(StoredMessages.number(message));
				}
				awaitAcknowledgments(subscriber);
			}
			broker.kill();
		}
		this.shim.full(false);
		try (StandaloneProcess broker = start();
				RawMqttConnection subscriber = StoredMessages.subscriber(broker.port(), false)) {
			Set<Integer> received = StoredMessages.receiveAll(subscriber, TOPIC, broker.port());
			assertThat(received).containsAll(left).hasSizeLessThan(left.size() + 50);
		}
	}

	/** Waits for the answer to a message, which follows earlier acknowledgments. */
	private static void awaitAcknowledgments(RawMqttConnection subscriber) throws Exception {
		subscriber.send(subscriber.publish(OTHER, 1, "x"));
		RawPacket packet = subscriber.receive();
		while (!(packet instanceof RawControl control && control.type() == PacketType.PUBACK)) {
			packet = subscriber.receive();
		}
	}

	@Test
	void stopsOnFullDisk() throws Exception {
		try (StandaloneProcess broker = start();
				RawMqttConnection other = RawMqttConnection.connected(broker.port(), "other")) {
			try (RawMqttConnection subscriber = StoredMessages.subscriber(broker.port(), true)) {
				subscriber.subscribed(TOPIC, 1);
			}
			StoredMessages publisher = new StoredMessages(RawMqttConnection.connected(broker.port(), "publisher"),
					TOPIC, 1);
			this.threads.submit(publisher);
			subscribe(broker.port());
			this.shim.full(true);
			await("a refused message").until(() -> publish(other) == StoredMessages.REFUSED);
		}
		this.shim.full(false);
		try (StandaloneProcess broker = start();
				RawMqttConnection subscriber = StoredMessages.subscriber(broker.port(), false)) {
			StoredMessages.receiveAll(subscriber, TOPIC, broker.port());
		}
	}

}
