package io.statestore.broker.mqtt;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * QoS 2 messages from several publishers to one subscriber while the broker ends several
 * times. The subscriber follows MQTT 5 section 4.3.3: it ignores a message whose packet
 * identifier has not been released yet. It must receive each acknowledged message exactly
 * once.
 */
abstract class ExactlyOnceTest {

	private static final int PUBLISHERS = 4;

	private static final String SUBSCRIBER = "subscriber";

	@TempDir
	Path directory;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final AtomicInteger published = new AtomicInteger();

	private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

	private final Set<String> delivered = new HashSet<>();

	/** Messages that were not released, by packet identifier. */
	private final Map<Integer, String> unreleased = new HashMap<>();

	private int port;

	/** Starts the broker and returns its port. */
	abstract int start(StorageOptions storage) throws Exception;

	/** Ends the broker. */
	abstract void stop() throws Exception;

	/** Returns how many times the broker ends. */
	abstract int rounds();

	/** Returns the number of messages to receive before the broker ends. */
	abstract int messagesPerRound();

	@AfterEach
	void stopAll() throws Exception {
		this.threads.shutdownNow();
		stop();
		assertThat(this.threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void deliversAcknowledgedMessagesExactlyOnce() throws Exception {
		for (int round = 0; round < rounds(); round++) {
			this.port = start(StorageOptions.in(this.directory));
			try (RawMqttConnection subscriber = connect(round > 0)) {
				if (round == 0) {
					subscriber.subscribed("t", 2);
				}
				for (int i = 0; i < PUBLISHERS; i++) {
					this.threads.execute(this::publish);
				}
				receiveUntilStop(subscriber);
			}
		}
		this.port = start(StorageOptions.in(this.directory));
		try (RawMqttConnection subscriber = connect(true)) {
			try (RawMqttConnection last = RawMqttConnection.connected(this.port, "last")) {
				StoredSessionsTest.publish(last, "t", "end");
			}
			while (!this.delivered.contains("end")) {
				handle(subscriber, subscriber.receive());
			}
		}
		assertThat(this.delivered).containsAll(this.acknowledged);
	}

	private RawMqttConnection connect(boolean sessionPresent) throws Exception {
		RawMqttConnection subscriber = new RawMqttConnection(this.port);
		RawControl connack = subscriber
			.connect(RawConnect.of(SUBSCRIBER, PropertyType.SESSION_EXPIRY_INTERVAL.of(3_600)).cleanStart(false));
		assertThat(connack.sessionPresent()).isEqualTo(sessionPresent);
		return subscriber;
	}

	/** Publishes one message after another until the connection ends. */
	private void publish() {
		try (RawMqttConnection publisher = new RawMqttConnection(this.port)) {
			publisher.connect("publisher" + this.published.incrementAndGet());
			while (true) {
				String text = Integer.toString(this.published.incrementAndGet());
				RawPublish message = publisher.publish("t", 2, text);
				publisher.send(message);
				if (publisher.receiveReason(PacketType.PUBREC) == 0) {
					this.acknowledged.add(text);
				}
				publisher.send(RawControl.acknowledgment(PacketType.PUBREL, message.packetId));
				publisher.receive(PacketType.PUBCOMP);
			}
		}
		catch (IOException | AssertionError ex) {
			// The broker has ended.
		}
	}

	private void receiveUntilStop(RawMqttConnection subscriber) throws Exception {
		int last = this.delivered.size() + messagesPerRound();
		boolean stopping = false;
		try {
			while (true) {
				handle(subscriber, subscriber.read());
				if (!stopping && this.delivered.size() >= last) {
					stopping = true;
					this.threads.submit(() -> {
						stop();
						return null;
					});
				}
			}
		}
		catch (IOException ex) {
			assertThat(stopping).as("connection ended by the test").isTrue();
		}
		stop();
	}

	private void handle(RawMqttConnection subscriber, RawPacket packet) throws IOException {
		if (packet instanceof RawPublish message) {
			if (message.qos < 2) {
				this.delivered.add(message.text());
				return;
			}
			String earlier = this.unreleased.putIfAbsent(message.packetId, message.text());
			assertThat(earlier).as("message %s", message).isIn(null, message.text());
			if (earlier == null) {
				assertThat(this.delivered.add(message.text())).as("first delivery of %s", message).isTrue();
			}
			send(subscriber, PacketType.PUBREC, message.packetId);
		}
		else if (packet instanceof RawControl release && release.type() == PacketType.PUBREL) {
			this.unreleased.remove(release.packetId());
			send(subscriber, PacketType.PUBCOMP, release.packetId());
		}
	}

	/**
	 * Sends a packet. If the connection has ended, receiving the next packet shows this.
	 */
	private static void send(RawMqttConnection subscriber, PacketType type, int packetId) {
		try {
			subscriber.send(RawControl.acknowledgment(type, packetId));
		}
		catch (IOException ex) {
			// The broker has ended.
		}
	}

}
