package io.statestore.client.mqtt.integration;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import io.netty.handler.codec.mqtt.MqttProperties.BinaryProperty;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.statestore.client.mqtt.internal.FakeBroker;
import io.statestore.mqtt.ClientPackets;
import io.statestore.test.CapturedLog;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.IMqttMessageListener;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.client.MqttClientException;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.UserProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.integration.mqtt.inbound.Mqttv5PahoMessageDrivenChannelAdapter;

import static io.netty.handler.codec.mqtt.MqttProperties.CONTENT_TYPE;
import static io.netty.handler.codec.mqtt.MqttProperties.CORRELATION_DATA;
import static io.netty.handler.codec.mqtt.MqttProperties.MAXIMUM_PACKET_SIZE;
import static io.netty.handler.codec.mqtt.MqttProperties.MAXIMUM_QOS;
import static io.netty.handler.codec.mqtt.MqttProperties.PAYLOAD_FORMAT_INDICATOR;
import static io.netty.handler.codec.mqtt.MqttProperties.PUBLICATION_EXPIRY_INTERVAL;
import static io.netty.handler.codec.mqtt.MqttProperties.RECEIVE_MAXIMUM;
import static io.netty.handler.codec.mqtt.MqttProperties.RESPONSE_TOPIC;
import static io.netty.handler.codec.mqtt.MqttProperties.RETAIN_AVAILABLE;
import static io.netty.handler.codec.mqtt.MqttProperties.SUBSCRIPTION_IDENTIFIER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Calls of adapters. */
@Timeout(30)
@Isolated("captures the log")
class AdapterClientTests extends ClientManagerFixture {

	@Test
	void sendsPublishAgainAfterReconnect() throws Exception {
		this.broker.onRequest = (broker, request) -> {
		};
		IMqttAsyncClient client = client();
		IMqttToken token = client.publish("out", "1".getBytes(StandardCharsets.UTF_8), 1, false);
		await("the publish").until(() -> this.broker.requests.size() == 1);
		this.broker.onRequest = (broker, request) -> request.ack(0);
		this.broker.drop();
		assertThatExceptionOfType(MqttException.class).isThrownBy(() -> token.waitForCompletion(10_000));
		await("the publish again").until(() -> this.broker.requests.size() == 2 && client.isConnected());
		client.publish("out", "2".getBytes(StandardCharsets.UTF_8), 1, false).waitForCompletion(10_000);
		this.broker.drop();
		await("a new connection").until(() -> this.broker.connects.size() == 3 && client.isConnected());
		client.publish("out", "3".getBytes(StandardCharsets.UTF_8), 1, false).waitForCompletion(10_000);
		assertThat(this.broker.requests).extracting(FakeBroker.Request::text).containsExactly("1", "1", "2", "3");
	}

	@Test
	void refusesMessagesThatBrokerDoesNotPermit() throws Exception {
		this.broker.connAck(MAXIMUM_QOS, 1);
		this.broker.connAck(RETAIN_AVAILABLE, 0);
		IMqttAsyncClient client = client();
		assertThatExceptionOfType(MqttException.class).isThrownBy(() -> client.publish("out", new byte[1], 2, false))
			.havingCause()
			.withMessage("The message to 'out' has QoS 2, but the broker accepts at most QoS 1");
		assertThatExceptionOfType(MqttException.class).isThrownBy(() -> client.publish("out", new byte[1], 1, true))
			.havingCause()
			.withMessage("The message to 'out' is retained, but the broker does not retain messages");
		assertThat(this.broker.requests).isEmpty();
	}

	@Test
	void dropsMessageThatNextConnectionDoesNotPermit() throws Exception {
		this.broker.onRequest = (broker, request) -> {
		};
		IMqttAsyncClient client = client();
		client.publish("out", new byte[2_000], 1, false);
		await("the publish").until(() -> this.broker.requests.size() == 1);
		this.broker.onRequest = (broker, request) -> request.ack(0);
		this.broker.connAck(MAXIMUM_PACKET_SIZE, 1_000);
		this.broker.drop();
		await("a new connection").until(() -> this.broker.connects.size() == 2 && client.isConnected());
		client.publish("out", "2".getBytes(StandardCharsets.UTF_8), 1, false).waitForCompletion(10_000);
		assertThat(this.broker.requests).hasSize(2).last().extracting(FakeBroker.Request::text).isEqualTo("2");
	}

	// Otherwise, one message would end each connection, as the broker repeats it.
	@Test
	void deliversMessageWithInvalidResponseTopic() {
		List<String> received = new CopyOnWriteArrayList<>();
		StateStoreClientManager manager = manager();
		connected(manager);
		this.world.subscribe(manager, (message) -> received.add(AdapterWorld.text(message)),
				new MqttSubscription("in", 1));
		for (String topic : List.of("", "a/#", "valid")) {
			var properties = new io.netty.handler.codec.mqtt.MqttProperties();
			properties.add(new StringProperty(RESPONSE_TOPIC, topic));
			this.broker.publish("in", topic, properties);
		}
		await("the messages").untilAsserted(() -> assertThat(received).containsExactly("", "a/#", "valid"));
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void releaseByBrokerAcknowledgesNothing() throws Exception {
		this.broker.onRequest = (broker, request) -> {
		};
		List<String> received = new CopyOnWriteArrayList<>();
		StateStoreClientManager manager = manager();
		IMqttAsyncClient client = connected(manager);
		this.world.subscribe(manager, (message) -> received.add(AdapterWorld.text(message)),
				new MqttSubscription("in", 1));
		IMqttToken token = client.publish("out", new byte[1], 1, false);
		await("the publish").until(() -> this.broker.requests.size() == 1);
		this.broker.send(ClientPackets.release(token.getMessageId()));
		arrive("in", "later");
		await("a later message").until(() -> !received.isEmpty());
		assertThat(token.isComplete()).isFalse();
	}

	// MQTT 5 section 4.9 limits repeated messages, too.
	@Test
	void sendsManyPublishesAgainInOrder() throws Exception {
		Queue<FakeBroker.Request> unanswered = new ConcurrentLinkedQueue<>();
		this.broker.onRequest = (broker, request) -> unanswered.add(request);
		IMqttAsyncClient client = client();
		for (int i = 0; i < 10; i++) {
			client.publish("out", Integer.toString(i).getBytes(StandardCharsets.UTF_8), 1, false);
		}
		await("the publishes").until(() -> unanswered.size() == 10);
		unanswered.clear();
		this.broker.connAck(RECEIVE_MAXIMUM, 3);
		this.broker.drop();
		await("a new connection").until(() -> this.broker.connects.size() == 2 && client.isConnected());
		for (int i = 0; i < 10; i++) {
			await("the next publish").until(() -> !unanswered.isEmpty());
			assertThat(unanswered).hasSizeLessThanOrEqualTo(3);
			FakeBroker.Request request = unanswered.remove();
			assertThat(request.text()).isEqualTo(Integer.toString(i));
			request.ack(0);
		}
		await("room").until(() -> client.getInFlightMessageCount() == 0);
	}

	@Test
	void sendsPropertiesOfMessage() throws Exception {
		MqttProperties properties = new MqttProperties();
		properties.setPayloadFormat(true);
		properties.setMessageExpiryInterval(42L);
		properties.setContentType("text/plain");
		properties.setResponseTopic("answers");
		properties.setCorrelationData(new byte[] { 7 });
		properties.getUserProperties().add(new UserProperty("a", "1"));
		client().publish("out", new MqttMessage(new byte[1], 1, true, properties)).waitForCompletion(10_000);
		FakeBroker.Request request = this.broker.requests.element();
		assertThat(request.<Integer>property(PAYLOAD_FORMAT_INDICATOR)).isEqualTo(1);
		assertThat(request.<Integer>property(PUBLICATION_EXPIRY_INTERVAL)).isEqualTo(42);
		assertThat(request.<String>property(CONTENT_TYPE)).isEqualTo("text/plain");
		assertThat(request.<String>property(RESPONSE_TOPIC)).isEqualTo("answers");
		assertThat(request.correlationData()).containsExactly(7);
		assertThat(request.userProperties()).containsExactly("a=1");
	}

	@Test
	void receivesPropertiesOfMessage() throws Exception {
		CompletableFuture<MqttMessage> received = new CompletableFuture<>();
		StateStoreClientManager manager = manager();
		manager.<MqttMessage>addDefaultMessageHandler((topic, message) -> received.complete(message));
		connected(manager);
		var sent = new io.netty.handler.codec.mqtt.MqttProperties();
		sent.add(new IntegerProperty(PAYLOAD_FORMAT_INDICATOR, 1));
		sent.add(new IntegerProperty(PUBLICATION_EXPIRY_INTERVAL, 42));
		sent.add(new StringProperty(CONTENT_TYPE, "text/plain"));
		sent.add(new StringProperty(RESPONSE_TOPIC, "answers"));
		sent.add(new BinaryProperty(CORRELATION_DATA, new byte[] { 7 }));
		sent.add(new io.netty.handler.codec.mqtt.MqttProperties.UserProperty("a", "1"));
		this.broker.publish("in", "1", sent);
		MqttMessage message = received.get(10, TimeUnit.SECONDS);
		assertThat(message.getQos()).isEqualTo(1);
		MqttProperties properties = message.getProperties();
		assertThat(properties.getPayloadFormat()).isTrue();
		assertThat(properties.getMessageExpiryInterval()).isEqualTo(42);
		assertThat(properties.getContentType()).isEqualTo("text/plain");
		assertThat(properties.getResponseTopic()).isEqualTo("answers");
		assertThat(properties.getCorrelationData()).containsExactly(7);
		assertThat(properties.getUserProperties()).containsExactly(new UserProperty("a", "1"));
	}

	// MQTT 5 section 3.2.2.1.1: the broker does not know these packet identifiers.
	@Test
	void sendsNothingOfLostSession() throws Exception {
		reconnectWithPublishesInFlight();
		await("the publish again").until(() -> this.broker.requests.size() == 3);
		FakeBroker.Request again = List.copyOf(this.broker.requests).get(2);
		assertThat(again.text()).isEqualTo("1");
		assertThat(again.isRepeated()).isFalse();
		assertThat(this.broker.releases).hasSize(1);
	}

	@Test
	void marksPublishesOfResumedSessionAsRepeated() throws Exception {
		this.broker.sessionPresent = true;
		reconnectWithPublishesInFlight();
		await("the publish again").until(() -> this.broker.requests.size() == 3 && this.broker.releases.size() == 2);
		FakeBroker.Request again = List.copyOf(this.broker.requests).get(2);
		assertThat(again.text()).isEqualTo("1");
		assertThat(again.isRepeated()).isTrue();
		assertThat(this.broker.releases).containsExactly(2, 2);
	}

	/**
	 * Publishes 1, and 2 with QoS 2, which the broker receives, and breaks the
	 * connection.
	 */
	private void reconnectWithPublishesInFlight() throws Exception {
		this.broker.onRequest = (broker, request) -> {
			if (request.text().equals("2")) {
				request.received();
			}
		};
		IMqttAsyncClient client = client();
		client.publish("out", "1".getBytes(StandardCharsets.UTF_8), 1, false);
		client.publish("out", "2".getBytes(StandardCharsets.UTF_8), 2, false);
		await("the release").until(() -> this.broker.releases.size() == 1);
		this.broker.drop();
		await("a new connection").until(() -> this.broker.connects.size() == 2 && client.isConnected());
	}

	@Test
	void limitsBytesOfPublishesInFlight() throws Exception {
		Queue<FakeBroker.Request> unanswered = new ConcurrentLinkedQueue<>();
		this.broker.onRequest = (broker, request) -> unanswered.add(request);
		IMqttAsyncClient client = connected(
				this.world.manager(this.broker.options().maxPendingSize(1_000).requestTimeout(Duration.ofMillis(200))));
		client.publish("out", new byte[600], 1, false);
		assertThatExceptionOfType(MqttException.class).isThrownBy(() -> client.publish("out", new byte[600], 1, false))
			.satisfies((ex) -> assertThat(ex.getReasonCode()).isEqualTo(MqttClientException.REASON_CODE_MAX_INFLIGHT));
		await("the publish").until(() -> !unanswered.isEmpty());
		unanswered.remove().ack(0);
		await("room").until(() -> client.getInFlightMessageCount() == 0);
		client.publish("out", new byte[2_000], 1, false);
		await("the large publish").until(() -> !unanswered.isEmpty());
	}

	@Test
	void adapterStoppedDuringOutageReceivesNothing() {
		List<String> received = new CopyOnWriteArrayList<>();
		StateStoreClientManager manager = manager();
		Mqttv5PahoMessageDrivenChannelAdapter stopped = this.world.subscribe(manager,
				(message) -> received.add("stopped"), new MqttSubscription("in/#", 1));
		Mqttv5PahoMessageDrivenChannelAdapter running = this.world.subscribe(manager,
				(message) -> received.add("running"), new MqttSubscription("in/a", 1));
		this.broker.stop();
		await("the outage").until(() -> !manager.isConnected());
		stopped.stop();
		this.broker.sessionPresent = true;
		this.broker.onSubscribe = (filter) -> -1;
		this.broker.restart();
		await("the subscription of the running adapter").until(() -> this.broker.subscriptions.size() == 3);
		// The broker still has both subscriptions, and sends one copy for each.
		for (int identifier = 1; identifier <= 2; identifier++) {
			var properties = new io.netty.handler.codec.mqtt.MqttProperties();
			properties.add(new IntegerProperty(SUBSCRIPTION_IDENTIFIER, identifier));
			this.broker.publish("in/a", "m", properties);
		}
		await("the message").until(() -> received.contains("running"));
		this.broker.onSubscribe = (filter) -> 1;
		this.broker.releaseSubAcks();
		this.world.awaitSubscriptions(running, 2);
		await("the end of the subscription").until(() -> this.broker.unsubscriptions.contains("in/#"));
		arrive("in/a", "matched");
		await("the last message").until(() -> received.size() >= 2);
		assertThat(received).containsExactly("running", "running");
		stopped.start();
		this.world.awaitSubscriptions(stopped, 2);
		arrive("in/b", "again");
		await("a message after the start").until(() -> received.contains("stopped"));
	}

	@Test
	void adapterDestroyedDuringOutageReceivesNothing() {
		List<String> received = new CopyOnWriteArrayList<>();
		StateStoreClientManager manager = manager();
		manager.<MqttMessage>addDefaultMessageHandler((topic, message) -> received.add(topic));
		Mqttv5PahoMessageDrivenChannelAdapter destroyed = this.world.subscribe(manager,
				(message) -> received.add("destroyed"), new MqttSubscription("in/#", 1));
		this.world.subscribe(manager, (message) -> {
		}, new MqttSubscription("other", 1));
		this.broker.stop();
		await("the outage").until(() -> !manager.isConnected());
		destroyed.destroy();
		this.broker.sessionPresent = true;
		this.broker.onSubscribe = (filter) -> -1;
		this.broker.restart();
		await("the subscription of the other adapter").until(() -> this.broker.subscriptions.size() == 3);
		arrive("in/a", "1");
		arrive("later", "2");
		await("the later message").until(() -> received.contains("later"));
		assertThat(received).doesNotContain("destroyed");
		this.broker.releaseSubAcks();
		await("the end of the subscription").until(() -> this.broker.unsubscriptions.contains("in/#"));
	}

	// The callbacks of a new connection run meanwhile.
	@Test
	void handsOverMessagesOfAdapterThatStopsAfterReconnect() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		List<String> received = new CopyOnWriteArrayList<>();
		StateStoreClientManager manager = manager();
		Mqttv5PahoMessageDrivenChannelAdapter stopping = this.world.subscribe(manager, (message) -> {
			received.add(AdapterWorld.text(message));
			awaitQuietly(release);
		}, new MqttSubscription("in", 1));
		this.world.subscribe(manager, (message) -> {
		}, new MqttSubscription("other", 1));
		this.broker.sessionPresent = true;
		this.broker.onSubscribe = (filter) -> filter.equals("other") ? -1 : 1;
		this.broker.onRequest = (broker, request) -> request.ack(0);
		this.broker.drop();
		await("the callbacks")
			.until(() -> this.broker.subscriptions.stream().filter((filter) -> filter.equals("other")).count() == 2);
		arrive("in", "1");
		arrive("in", "2");
		await("the first message").until(() -> received.size() == 1);
		Thread stop = new Thread(stopping::stop);
		stop.start();
		await("the stop").until(() -> this.broker.unsubscriptions.contains("in"));
		this.broker.releaseSubAcks();
		awaitEvents(manager.getClient());
		release.countDown();
		stop.join();
		await("the last message").until(() -> received.size() == 2);
		assertThat(this.broker.connects).hasSize(2);
	}

	/** Waits for the end of connect callbacks, which run on the same thread. */
	private static void awaitEvents(IMqttAsyncClient client) throws Exception {
		CompletableFuture<Boolean> answered = new CompletableFuture<>();
		client.publish("out", new MqttMessage(new byte[0]), null, new MqttActionListener() {

			@Override
			public void onSuccess(IMqttToken token) {
				answered.complete(true);
			}

			@Override
			public void onFailure(IMqttToken token, Throwable exception) {
				answered.complete(false);
			}

		});
		answered.get(10, TimeUnit.SECONDS);
	}

	@Test
	void subscribesAgainWhileFlowIsBlocked() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		List<String> received = new CopyOnWriteArrayList<>();
		IMqttMessageListener listener = (topic, message) -> {
			received.add(message.toString());
			awaitQuietly(release);
		};
		IMqttAsyncClient client = client();
		MqttSubscription[] subscriptions = { new MqttSubscription("in", 1) };
		client.subscribe(subscriptions, null, null, listener, new MqttProperties()).waitForCompletion(10_000);
		arrive("in", "1");
		await("the first message").until(() -> received.size() == 1);
		client.unsubscribe("in");
		client.subscribe(subscriptions, null, null, listener, new MqttProperties()).waitForCompletion(10_000);
		release.countDown();
		arrive("in", "2");
		await("the next message").until(() -> received.size() == 2);
		arrive("in", "3");
		await("the last message").until(() -> received.size() == 3);
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("The flow was interrupted", ex);
		}
	}

	@Test
	void unsubscribes() throws Exception {
		IMqttAsyncClient client = client();
		client.subscribe("in/#", 1).waitForCompletion(10_000);
		client.unsubscribe("in/#").waitForCompletion(10_000);
		assertThat(this.broker.unsubscriptions).containsExactly("in/#");
	}

	@Test
	void waitsForRoomAtReceiveMaximum() throws Exception {
		this.broker.connAck(RECEIVE_MAXIMUM, 1);
		this.broker.onRequest = (broker, request) -> broker.later(() -> request.ack(0));
		IMqttAsyncClient client = client();
		List<IMqttToken> tokens = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			tokens.add(client.publish("out", new byte[0], 1, false));
		}
		for (IMqttToken token : tokens) {
			token.waitForCompletion(10_000);
		}
		assertThat(this.broker.requests).hasSize(50);
	}

	@Test
	void keepsConnectionIfMessageIsTooLarge() throws Exception {
		this.broker.connAck(MAXIMUM_PACKET_SIZE, 1000);
		IMqttAsyncClient client = client();
		assertThatExceptionOfType(MqttException.class).isThrownBy(() -> client.publish("out", new byte[1000], 1, false))
			.havingCause()
			.withMessageContaining("at most 1000");
		client.publish("out", new byte[10], 1, false).waitForCompletion(10_000);
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void keepsConnectionIfMessageCannotBeEncoded() throws Exception {
		IMqttAsyncClient client = client();
		MqttProperties properties = new MqttProperties();
		properties.setUserProperties(new ArrayList<>(List.of(new UserProperty("name", "\ud800"))));
		MqttMessage message = new MqttMessage(new byte[1], 1, false, properties);
		assertThatThrownBy(() -> client.publish("out", message)).isNotNull();
		client.publish("out", new byte[10], 1, false).waitForCompletion(10_000);
		assertThat(this.broker.connects).hasSize(1);
	}

	// Trap: without a store of its own, Paho uses files in the working directory.
	@Test
	void usesNoFiles(@TempDir Path directory) throws Exception {
		String workingDirectory = System.getProperty("user.dir");
		System.setProperty("user.dir", Files.createFile(directory.resolve("file")).toString());
		try {
			assertThat(client().isConnected()).isTrue();
		}
		finally {
			System.setProperty("user.dir", workingDirectory);
		}
	}

	@Test
	void refusedPublishFails() throws Exception {
		IMqttAsyncClient client = client();
		this.broker.onRequest = (broker, request) -> request.ack(0x87);
		CompletableFuture<Throwable> failure = new CompletableFuture<>();
		IMqttToken token = client.publish("out", new MqttMessage(new byte[0]), null, new MqttActionListener() {

			@Override
			public void onSuccess(IMqttToken token) {
				failure.completeExceptionally(new AssertionError("success"));
			}

			@Override
			public void onFailure(IMqttToken token, Throwable exception) {
				failure.complete(exception);
			}

		});
		assertThatExceptionOfType(MqttException.class).isThrownBy(() -> token.waitForCompletion(10_000));
		assertThat(failure.get(10, TimeUnit.SECONDS)).isInstanceOf(MqttException.class);
	}

	@Test
	void refusedSubscriptionFails() throws Exception {
		IMqttAsyncClient client = client();
		this.broker.subAckCode = 0x87;
		try (CapturedLog log = new CapturedLog("io.statestore.client.mqtt", Level.DEBUG)) {
			IMqttToken token = client.subscribe("a/b", 1);
			assertThatExceptionOfType(MqttException.class).isThrownBy(() -> token.waitForCompletion(10_000))
				.satisfies((ex) -> assertThat(ex.getReasonCode()).isEqualTo(0x87));
			await("the log")
				.until(() -> log.contains("The broker refused the subscription to 'a/b': not authorized (0x87)"));
		}
	}

	@Test
	void subscribesAgainIfBrokerDoesNotAnswer() {
		this.broker.onSubscribe = (filter) -> (this.broker.connects.size() > 1) ? 1 : -1;
		List<String> received = new CopyOnWriteArrayList<>();
		StateStoreClientManager manager = this.world
			.manager(this.broker.options().requestTimeout(Duration.ofMillis(500)));
		connected(manager);
		this.world
			.inbound(manager, (message) -> received.add(AdapterWorld.text(message)), new MqttSubscription("in/#", 1))
			.start();
		await("the message").until(() -> {
			if (this.broker.subscriptions.size() > 1) {
				arrive("in/a", "1");
			}
			return !received.isEmpty();
		});
	}

	@Test
	void waitingKeepsInterruptFlag() throws Exception {
		IMqttAsyncClient client = client();
		this.broker.onRequest = (broker, request) -> {
		};
		IMqttToken token = client.publish("out", new byte[0], 1, false);
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(MqttException.class).isThrownBy(() -> token.waitForCompletion(10_000));
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void rejectsControlOfConnection() {
		IMqttAsyncClient client = manager().getClient();
		assertThatThrownBy(client::disconnect).isInstanceOf(UnsupportedOperationException.class)
			.hasMessageContaining("StateStoreClientManager");
		assertThatThrownBy(client::close).isInstanceOf(UnsupportedOperationException.class);
		assertThatThrownBy(() -> client.setManualAcks(true)).isInstanceOf(UnsupportedOperationException.class);
	}

}
