package io.statestore.broker.mqtt;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.statestore.broker.log.TestDisk;
import io.statestore.broker.log.TestDisk.Hold;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** New connections of clients whose QoS 2 messages are still waiting for the disk. */
class StoredTakeoverTests {

	private final TestDisk disk = new TestDisk(1);

	private final DurableBroker broker = DurableBroker.on(this.disk).start();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
		this.broker.close();
	}

	@Test
	void acknowledgesRepeatedMessageOnlyWhenStored() throws Exception {
		try (RawMqttConnection subscriber = subscriber();
				RawMqttConnection client = session(true);
				RawMqttConnection again = newConnection()) {
			Hold hold = this.disk.holdNextForce();
			RawPublish message = send(client, hold);
			Future<?> acknowledgment = this.threads.submit(() -> {
				again.connect(connect(false));
				message.dup = true;
				again.send(message);
				return again.receive(PacketType.PUBREC);
			});
			await().during(Duration.ofMillis(200)).until(() -> !acknowledgment.isDone());
			hold.release();
			acknowledgment.get();
			expect(subscriber, "x");
			expectNothingBefore(subscriber);
		}
	}

	@Test
	void newSessionOmitsMessageOfEarlierSession() throws Exception {
		try (RawMqttConnection subscriber = subscriber();
				RawMqttConnection client = session(true);
				RawMqttConnection again = newConnection()) {
			Hold hold = this.disk.holdNextForce();
			RawPublish message = send(client, hold);
			Future<RawControl> connack = this.threads.submit(() -> again.connect(connect(true)));
			await().during(Duration.ofMillis(200)).until(() -> !connack.isDone());
			hold.release();
			assertThat(connack.get().sessionPresent()).isFalse();
			expect(subscriber, "x");
			message.payload = "next".getBytes();
			again.send(message);
			assertThat(again.receiveReason(PacketType.PUBREC)).isZero();
			expect(subscriber, "next");
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
		return RawConnect.of("publisher", PropertyType.SESSION_EXPIRY_INTERVAL.of(60)).cleanStart(cleanStart);
	}

	private RawMqttConnection subscriber() throws Exception {
		RawMqttConnection subscriber = newConnection();
		subscriber.connect("subscriber", PropertyType.SESSION_EXPIRY_INTERVAL.of(60));
		subscriber.subscribed("t", 1);
		return subscriber;
	}

	/** Sends a message, which is waiting for the disk when this method returns. */
	private static RawPublish send(RawMqttConnection client, Hold hold) throws Exception {
		RawPublish message = client.publish("t", 2, "x");
		client.send(message);
		hold.awaitReached();
		return message;
	}

	private static void expect(RawMqttConnection subscriber, String text) throws Exception {
		RawPublish message = subscriber.receivePublish();
		assertThat(message.text()).isEqualTo(text);
		subscriber.acknowledge(message);
	}

	private void expectNothingBefore(RawMqttConnection subscriber) throws Exception {
		try (RawMqttConnection publisher = this.broker.client("end")) {
			StoredSessionsTest.publish(publisher, "t", "end");
		}
		expect(subscriber, "end");
	}

}
