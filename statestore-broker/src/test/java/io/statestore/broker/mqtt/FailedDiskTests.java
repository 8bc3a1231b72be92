package io.statestore.broker.mqtt;

import java.io.IOError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.log.TestDisk;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Ordinary messages and sessions on a broker whose disk is full or fails. */
class FailedDiskTests {

	private static final int REFUSED = 0x97;

	private static final String LARGE = "x".repeat(100_000);

	private final TestDisk disk = new TestDisk(1);

	@AutoClose
	private final DurableBroker broker = DurableBroker.on(this.disk).start();

	private RawMqttConnection newSession(String clientId) throws Exception {
		RawMqttConnection client = new RawMqttConnection(this.broker.port());
		assertThat(connect(client, clientId, true).reason()).isZero();
		return client;
	}

	private RawMqttConnection continued(String clientId) throws Exception {
		RawMqttConnection client = new RawMqttConnection(this.broker.port());
		assertThat(connect(client, clientId, false).sessionPresent()).isTrue();
		return client;
	}

	private static RawControl connect(RawMqttConnection client, String clientId, boolean clean) throws Exception {
		return client
			.connect(RawConnect.of(clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(3_600)).cleanStart(clean));
	}

	private static int publish(RawMqttConnection client, String payload) throws Exception {
		return publish(client, "t", payload);
	}

	private static int publish(RawMqttConnection client, String topic, String payload) throws Exception {
		client.send(client.publish(topic, 1, payload));
		return client.receiveReason(PacketType.PUBACK);
	}

	private static int subscribe(RawMqttConnection client, String filter) throws Exception {
		client.send(client.subscribe(filter, 1));
		return client.receiveReason(PacketType.SUBACK);
	}

	private void absentSubscriber() throws Exception {
		absentSubscriber("subscriber", "t");
	}

	private void absentSubscriber(String clientId, String topic) throws Exception {
		try (RawMqttConnection subscriber = newSession(clientId)) {
			subscriber.subscribed(topic, 1);
			subscriber.send(RawControl.disconnect(0));
			subscriber.assertClosed();
		}
		this.broker.awaitChanges();
	}

	/** Publishes until the space that the log has allocated is used up. */
	private void fillDisk(RawMqttConnection client) throws Exception {
		absentSubscriber("f", "f");
		this.disk.full(true);
		await("a full disk").until(() -> publish(client, "f", LARGE) == REFUSED);
		await("a full disk").during(Duration.ofMillis(500)).until(() -> publish(client, "f", "") == REFUSED);
	}

	private void freeDisk(RawMqttConnection client) {
		this.disk.full(false);
		await("recovery").until(() -> publish(client, "f", "x") == 0);
	}

	/** Returns the payloads of all messages that precede a message published now. */
	private Set<String> receiveAll(RawMqttConnection subscriber) throws Exception {
		Set<String> received = new TreeSet<>();
		try (RawMqttConnection publisher = this.broker.client("end")) {
			assertThat(publish(publisher, "end")).isZero();
		}
		while (true) {
			RawPublish message = subscriber.receivePublish();
			if (message.text().equals("end")) {
				return received;
			}
			received.add(message.text());
			subscriber.acknowledge(message);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void refusesMessageWhenItsWriteFails(int qos) throws Exception {
		absentSubscriber();
		try (RawMqttConnection client = this.broker.client("publisher")) {
			this.disk.failNextForce();
			PacketType acknowledgment = (qos == 1) ? PacketType.PUBACK : PacketType.PUBREC;
			RawPublish message = client.publish("t", qos, "refused");
			client.send(message);
			assertThat(client.receiveReason(acknowledgment)).isEqualTo(REFUSED);
			message.payload = "accepted".getBytes();
			client.send(message);
			assertThat(client.receiveReason(acknowledgment)).isZero();
		}
		this.broker.kill();
		try (RawMqttConnection subscriber = continued("subscriber")) {
			assertThat(receiveAll(subscriber)).containsExactly("accepted");
		}
	}

	@Test
	void deliversNoMessageWhenItsWriteFails() throws Exception {
		try (RawMqttConnection subscriber = newSession("subscriber");
				RawMqttConnection client = this.broker.client("publisher")) {
			subscriber.subscribed("t", 1);
			this.disk.failNextForce();
			assertThat(publish(client, "refused")).isEqualTo(REFUSED);
			assertThat(receiveAll(subscriber)).isEmpty();
		}
	}

	/** A refusal would let the client use the packet identifier for another message. */
	@Test
	void acceptsRepeatedMessageAfterFailedWrite() throws Exception {
		absentSubscriber();
		RawPublish message;
		try (RawMqttConnection client = newSession("publisher")) {
			message = client.publish("t", 2, "once");
			this.disk.failNextForce();
			client.send(message);
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(REFUSED);
			client.assertClosed();
		}
		try (RawMqttConnection client = continued("publisher")) {
			message.dup = true;
			for (int i = 0; i < 2; i++) {
				client.send(message);
				assertThat(client.receiveReason(PacketType.PUBREC)).isZero();
			}
		}
		try (RawMqttConnection subscriber = continued("subscriber")) {
			RawPublish received = subscriber.receivePublish();
			assertThat(received.text()).isEqualTo("once");
			subscriber.acknowledge(received);
			assertThat(receiveAll(subscriber)).isEmpty();
		}
	}

	@Test
	void closesMqtt3ConnectionWhenMessageIsRefused() throws Exception {
		absentSubscriber();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect(RawConnect.of("v3").version(RawPacket.MQTT_3_1_1));
			this.disk.failNextForce();
			client.send(client.publish("t", 1, "refused"));
			client.assertClosed();
		}
	}

	@Test
	void refusesSubscriptionWhenItIsNotStored() throws Exception {
		try (RawMqttConnection client = newSession("subscriber"); RawMqttConnection v3 = sessionOfEarlierMqtt()) {
			this.disk.failNextForce();
			assertThat(subscribe(client, "t")).isEqualTo(REFUSED);
			this.disk.failNextForce();
			assertThat(subscribe(v3, "t")).isEqualTo(0x80);
			try (RawMqttConnection publisher = this.broker.client("publisher")) {
				assertThat(publish(publisher, "x")).isZero();
			}
			assertThat(subscribe(client, "t")).isEqualTo(1);
			assertThat(receiveAll(client)).isEmpty();
		}
	}

	@Test
	void refusesUnsubscribeWhenItIsNotStored() throws Exception {
		try (RawMqttConnection client = newSession("subscriber"); RawMqttConnection v3 = sessionOfEarlierMqtt()) {
			client.subscribed("t", 1, PropertyType.SUBSCRIPTION_IDENTIFIER.of(7));
			this.disk.failNextForce();
			client.send(client.unsubscribe("t"));
			assertThat(client.receiveReason(PacketType.UNSUBACK)).isEqualTo(0x83);
			client.send(MqttBrokerTest.request(client, "hello", "t"));
			assertThat(client.receivePublish().subscriptionIdentifiers).containsExactly(7L);
			client.receive(PacketType.PUBACK);
			this.disk.failNextForce();
			v3.send(v3.unsubscribe("t"));
			v3.assertClosed();
			try (RawMqttConnection publisher = this.broker.client("publisher")) {
				assertThat(publish(publisher, "x")).isZero();
			}
			assertThat(receiveAll(client)).containsExactly("x");
		}
	}

	private RawMqttConnection sessionOfEarlierMqtt() throws Exception {
		RawMqttConnection client = new RawMqttConnection(this.broker.port());
		client.connect(RawConnect.of("v3").version(RawPacket.MQTT_3_1_1).cleanStart(false));
		return client;
	}

	@Test
	void refusesSessionWhenItIsNotStored() throws Exception {
		this.disk.failNextForce();
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			assertThat(connect(client, "c", false).reason()).isEqualTo(REFUSED);
			client.assertClosed();
		}
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			RawControl connack = connect(client, "c", false);
			assertThat(connack.reason()).isZero();
			assertThat(connack.sessionPresent()).isFalse();
		}
	}

	@Test
	void fullDiskRefusesRequestsThatMustBeStored() throws Exception {
		absentSubscriber();
		try (RawMqttConnection client = newSession("publisher");
				RawMqttConnection brief = this.broker.client("brief")) {
			fillDisk(client);
			RawPublish message = brief.publish("t", 2, "x");
			brief.send(message);
			assertThat(brief.receiveReason(PacketType.PUBREC)).isEqualTo(REFUSED);
			assertThat(subscribe(client, "other".repeat(10))).isEqualTo(REFUSED);
			try (RawMqttConnection refused = new RawMqttConnection(this.broker.port())) {
				assertThat(connect(refused, "refused".repeat(10), true).reason()).isEqualTo(REFUSED);
			}
			brief.subscribed("volatile", 1);
			brief.send(brief.publish("volatile", 1, "served"));
			assertThat(brief.receiveReason(PacketType.PUBACK)).isZero();
			assertThat(brief.receivePublish().text()).isEqualTo("served");
			freeDisk(client);
			brief.send(message);
			assertThat(brief.receiveReason(PacketType.PUBREC)).isZero();
			assertThat(subscribe(client, "other")).isEqualTo(1);
			newSession("accepted").close();
		}
	}

	@Test
	void fullDiskLosesNoAcceptedMessage() throws Exception {
		absentSubscriber();
		Set<String> accepted = new TreeSet<>();
		Set<String> refused = new TreeSet<>();
		try (RawMqttConnection client = this.broker.client("publisher")) {
			for (int i = 0; i < 100; i++) {
				this.disk.full(i % 20 >= 10);
				String text = i + "-" + "x".repeat(20_000);
				((publish(client, text) == 0) ? accepted : refused).add(text);
			}
			this.disk.full(false);
			await("recovery").until(() -> publish(client, "x") == 0);
			accepted.add("x");
		}
		assertThat(refused).isNotEmpty();
		this.broker.kill();
		try (RawMqttConnection subscriber = continued("subscriber")) {
			assertThat(receiveAll(subscriber)).isEqualTo(accepted);
		}
	}

	@Test
	void endsSessionThatDisconnectedOnFullDisk() throws Exception {
		try (RawMqttConnection client = newSession("publisher"); RawMqttConnection leaving = newSession("leaving")) {
			fillDisk(client);
			leaving.sendBytes((byte) 0xE0, (byte) 7, (byte) 0, (byte) 5, (byte) 0x11, (byte) 0, (byte) 0, (byte) 0,
					(byte) 0);
			leaving.readToEnd();
			freeDisk(client);
			await("the end of the session").atMost(Duration.ofSeconds(20))
				.until(() -> this.broker.sessions().find("leaving") == null);
		}
	}

	@Test
	void publishesWillOfConnectionEndedOnFullDisk() throws Exception {
		try (RawMqttConnection client = newSession("publisher"); RawMqttConnection watcher = newSession("watcher")) {
			watcher.subscribed("t", 1);
			RawMqttConnection leaving = new RawMqttConnection(this.broker.port());
			leaving.connect(RawConnect.of("leaving").will(RawPublish.of((will) -> {
				will.topic = "t";
				will.payload = "will".getBytes();
			})));
			fillDisk(client);
			leaving.close();
			await("the end of the connection").until(() -> this.broker.mqtt().connections().open() == 2);
			freeDisk(client);
			assertThat(watcher.receivePublish().text()).isEqualTo("will");
		}
	}

	@Test
	void keepsAcknowledgmentsReceivedOnFullDisk() throws Exception {
		absentSubscriber();
		try (RawMqttConnection client = this.broker.client("publisher")) {
			for (int i = 0; i < 10; i++) {
				assertThat(publish(client, "old " + i)).isZero();
			}
			try (RawMqttConnection subscriber = continued("subscriber")) {
				fillDisk(client);
				for (int i = 0; i < 10; i++) {
					subscriber.acknowledge(subscriber.receivePublish());
				}
				subscriber.ping();
				freeDisk(client);
				await("the acknowledgments").atMost(Duration.ofSeconds(20))
					.until(() -> Objects.requireNonNull(this.broker.sessions().find("subscriber")).queuedBytes() == 0);
			}
		}
		this.broker.kill();
		try (RawMqttConnection subscriber = continued("subscriber")) {
			assertThat(receiveAll(subscriber)).isEmpty();
		}
	}

	/** A client whose session is present does not resubscribe. */
	@ParameterizedTest
	@EnumSource
	void powerFailureLosesNoSubscription(Fsync fsync) throws Exception {
		this.broker.with(StorageOptions.in(Path.of("/store")).withFsync(fsync)).restart();
		newSession("subscriber").close();
		for (int i = 0; i < 10; i++) {
			try (RawMqttConnection client = newSession("subscriber")) {
				client.subscribed("old", 1);
				client.subscribed("t", 1);
				client.unsubscribed("old");
				this.broker.cutPower();
			}
			try (RawMqttConnection client = continued("subscriber")) {
				client.send(client.unsubscribe("old"));
				assertThat(client.receiveReason(PacketType.UNSUBACK)).isEqualTo(0x11);
				assertThat(receiveAll(client)).isEmpty();
				client.unsubscribed("t");
			}
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void failedLogStopsServerWithoutAcknowledgment(int qos) throws Exception {
		try (RawMqttConnection subscriber = newSession("subscriber");
				RawMqttConnection client = newSession("publisher")) {
			subscriber.subscribed("t", 1);
			assertThat(publish(client, "first")).isZero();
			subscriber.acknowledge(subscriber.receivePublish());
			subscriber.ping();
			this.disk.fail();
			client.send(client.publish("t", qos, "lost"));
			assertThatExceptionOfType(CompletionException.class)
				.isThrownBy(() -> this.broker.server().failure().thenAccept((error) -> {
					throw error;
				}).orTimeout(20, TimeUnit.SECONDS).join())
				.withCauseInstanceOf(IOError.class);
			client.ping();
			subscriber.ping();
		}
		this.broker.kill();
		try (RawMqttConnection subscriber = continued("subscriber")) {
			assertThat(Set.of("first", "lost")).containsAll(receiveAll(subscriber));
		}
	}

}
