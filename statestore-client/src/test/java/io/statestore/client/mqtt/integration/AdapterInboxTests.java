package io.statestore.client.mqtt.integration;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

import ch.qos.logback.classic.Level;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.client.mqtt.internal.ConnectionSupervisor;
import io.statestore.client.mqtt.internal.FakeBroker;
import io.statestore.client.mqtt.internal.InFlight;
import io.statestore.test.CapturedLog;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Deliveries that lack a thread or fail outside the flows. */
@Timeout(30)
@Isolated("captures the log")
class AdapterInboxTests {

	private static final Duration SESSION_EXPIRY = Duration.ofHours(1);

	private final List<String> delivered = new CopyOnWriteArrayList<>();

	private final AdapterSubscriptions subscriptions = new AdapterSubscriptions(
			(topic, message) -> this.delivered.add(topic));

	private final AtomicBoolean failing = new AtomicBoolean(true);

	private @Nullable ConnectionSupervisor supervisor;

	private @Nullable FakeBroker broker;

	@AfterEach
	void close() {
		if (this.supervisor != null) {
			this.supervisor.stop();
		}
		if (this.broker != null) {
			this.broker.close();
		}
	}

	private Executor failsOnce() {
		return (task) -> {
			failOnce();
			task.run();
		};
	}

	private void failOnce() {
		if (this.failing.getAndSet(false)) {
			throw new OutOfMemoryError("unable to create native thread");
		}
	}

	private static void arrive(AdapterInbox inbox, String topic) {
		MqttMessage message = new MqttMessage(new byte[] { 1 });
		message.setQos(0);
		message.setProperties(new org.eclipse.paho.mqttv5.common.packet.MqttProperties());
		inbox.arrived(new AdapterSession(inbox, true, SESSION_EXPIRY), topic, message);
	}

	@Test
	void deliversNextMessageAfterMissingThread() {
		AdapterInbox inbox = new AdapterInbox(this.subscriptions, failsOnce(), () -> false);
		arrive(inbox, "first");
		assertThat(this.delivered).isEmpty();
		arrive(inbox, "second");
		assertThat(this.delivered).containsExactly("second");
	}

	@Test
	void deliversAfterFailureOutsideFlow() {
		AdapterInbox inbox = new AdapterInbox(this.subscriptions, Runnable::run, () -> {
			failOnce();
			return false;
		});
		arrive(inbox, "first");
		arrive(inbox, "second");
		assertThat(this.delivered).containsExactly("second");
	}

	@Test
	void connectsAgainAfterMissingThread() {
		FakeBroker broker = new FakeBroker();
		this.broker = broker;
		AdapterInbox inbox = new AdapterInbox(this.subscriptions, failsOnce(), () -> false);
		AdapterConnection connection = new AdapterConnection(inbox, new InFlight(Long.MAX_VALUE), SESSION_EXPIRY,
				() -> {
				}, (reconnect) -> {
				}, () -> {
				});
		this.supervisor = new ConnectionSupervisor(broker.options().build(), connection, System::nanoTime, null);
		try (CapturedLog log = new CapturedLog("io.statestore.client.mqtt", Level.INFO)) {
			this.supervisor.start();
			await("the connection").until(() -> connection.link() != null);
			broker.publish("topic", "1", MqttProperties.NO_PROPERTIES);
			await("another connection").until(() -> broker.connects.size() == 2);
			assertThat(log.messages()).anySatisfy((message) -> assertThat(message)
				.contains("a message could not be handed to its flow: unable to create native thread"));
		}
	}

	@Test
	void dropsQosZeroBeyondLimit() throws Exception {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		List<String> received = new CopyOnWriteArrayList<>();
		AdapterSubscriptions blocking = new AdapterSubscriptions((topic, message) -> {
			entered.countDown();
			release.await();
			received.add(topic);
		});
		ExecutorService executor = Executors.newSingleThreadExecutor();
		AdapterInbox inbox = new AdapterInbox(blocking, executor, () -> false);
		AdapterSession session = new AdapterSession(inbox, true, SESSION_EXPIRY);
		try (CapturedLog log = new CapturedLog("io.statestore.client.mqtt", Level.DEBUG)) {
			inbox.arrived(session, "first", message());
			// Its delivery would make room while the others arrive.
			entered.await();
			for (int i = 0; i < AdapterInbox.MAX_UNCONFIRMED + 100; i++) {
				inbox.arrived(session, "in/" + i, message());
			}
			assertThat(log.messages()).hasSize(1).first().asString().contains("10000 messages with QoS 0 are waiting");
		}
		release.countDown();
		await("all others").until(() -> received.size() == AdapterInbox.MAX_UNCONFIRMED + 1);
		inbox.arrived(session, "last", message());
		await("the last").until(() -> received.contains("last"));
		assertThat(received).hasSize(AdapterInbox.MAX_UNCONFIRMED + 2);
		executor.shutdown();
	}

	private static MqttMessage message() {
		return new MqttMessage(new byte[0], 0, false, new org.eclipse.paho.mqttv5.common.packet.MqttProperties());
	}

}
