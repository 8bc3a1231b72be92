package io.statestore.client.mqtt.integration;

import io.statestore.client.mqtt.CapturedLog;
import io.statestore.client.mqtt.FakeBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.UserProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.mqtt.outbound.Mqttv5PahoMessageHandler;
import org.springframework.messaging.support.GenericMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** The life of a connection of adapters, and what Paho and the adapters get wrong. */
@Timeout(30)
class StateStoreClientManagerTests {

	private final Set<Thread> earlier = Thread.getAllStackTraces().keySet();

	private final FakeBroker broker = new FakeBroker();

	private final AdapterWorld world = new AdapterWorld();

	@AfterEach
	void close() {
		this.world.close();
		this.broker.close();
	}

	private StateStoreClientManager manager() {
		return this.world.manager(this.broker.options());
	}

	private IMqttAsyncClient client() {
		return connected(manager());
	}

	private static IMqttAsyncClient connected(StateStoreClientManager manager) {
		IMqttAsyncClient client = manager.getClient();
		await("the connection").until(client::isConnected);
		return client;
	}

	private void arrive(String topic, String payload) {
		this.broker.publish(topic, payload, io.netty.handler.codec.mqtt.MqttProperties.NO_PROPERTIES);
	}

	private MqttConnectMessage connect(int index) {
		return List.copyOf(this.broker.connects).get(index);
	}

	private List<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("MQTT ") || thread.getName().startsWith("statestore-"))
			.filter((thread) -> !this.earlier.contains(thread))
			.toList();
	}

	@Test
	void connectsOnlyWhenUsed() {
		StateStoreClientManager manager = manager();
		assertThat(manager.isRunning()).isTrue();
		assertThat(manager.isConnected()).isFalse();
		assertThat(threads()).isEmpty();
		connected(manager);
		assertThat(manager.isConnected()).isTrue();
		assertThat(threads()).allMatch(Thread::isDaemon);
	}

	@Test
	void connectsWhenStartedAfterAdapter() {
		StateStoreClientManager manager = new StateStoreClientManager(this.broker.options().build());
		IMqttAsyncClient client = manager.getClient();
		assertThat(this.broker.connects).isEmpty();
		manager.start();
		await("the connection").until(client::isConnected);
		manager.stop();
		assertThat(manager.isRunning()).isFalse();
		assertThat(manager.getClient().isConnected()).isFalse();
	}

	@Test
	void connectsWhenBrokerArrives() {
		this.broker.stop();
		List<String> received = new CopyOnWriteArrayList<>();
		StateStoreClientManager manager = manager();
		this.world
			.inbound(manager, (message) -> received.add(AdapterWorld.text(message)), new MqttSubscription("in/#", 1))
			.start();
		assertThat(manager.isConnected()).isFalse();
		this.broker.restart();
		await("the subscription").until(() -> this.broker.subscriptions.contains("in/#"));
		arrive("in/a", "1");
		await("the message").until(() -> received.contains("1"));
	}

	@Test
	void outboundHandlerWaitsForConnection() throws Exception {
		this.broker.stop();
		Mqttv5PahoMessageHandler outbound = this.world.outbound(manager(), "out", 1);
		CompletableFuture<Void> sent = CompletableFuture
			.runAsync(() -> outbound.handleMessage(new GenericMessage<>("1")));
		this.broker.restart();
		sent.get(10, TimeUnit.SECONDS);
		assertThat(this.broker.requests).extracting(FakeBroker.Request::text).containsExactly("1");
	}

	@Test
	void leavesNoThreads() {
		StateStoreClientManager manager = manager();
		connected(manager);
		for (int i = 2; i <= 4; i++) {
			int expected = i;
			this.broker.drop();
			await("connection " + i).until(() -> this.broker.connects.size() == expected && manager.isConnected());
		}
		manager.stop();
		await("the end of all threads").until(() -> threads().isEmpty());
		assertThat(this.broker.disconnects).hasValue(1);
	}

	@Test
	void stopsQuicklyWhileFlowIsBlocked() throws Exception {
		CountDownLatch blocked = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		StateStoreClientManager manager = manager();
		this.world.subscribe(manager, (message) -> {
			blocked.countDown();
			try {
				release.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}, new MqttSubscription("in/#", 1));
		arrive("in/a", "1");
		assertThat(blocked.await(10, TimeUnit.SECONDS)).isTrue();
		long start = System.nanoTime();
		this.world.close();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
		release.countDown();
		await("the end of all threads").until(() -> threads().isEmpty());
	}

	@Test
	void resumesSessionUntilStop() {
		StateStoreClientManager manager = manager();
		connected(manager);
		this.broker.drop();
		await("a new connection").until(() -> this.broker.connects.size() == 2 && manager.isConnected());
		manager.stop();
		manager.start();
		await("a new session").until(() -> this.broker.connects.size() == 3);
		assertThat(this.broker.connects).extracting((connect) -> connect.variableHeader().isCleanSession())
			.containsExactly(true, false, true);
		assertThat(this.broker.connects)
			.extracting((connect) -> property(connect, MqttPropertyType.SESSION_EXPIRY_INTERVAL))
			.containsOnly(3600);
		assertThat(property(connect(0), MqttPropertyType.RECEIVE_MAXIMUM)).isEqualTo(AdapterInbox.RECEIVE_MAXIMUM);
	}

	private static Integer property(MqttConnectMessage connect, MqttPropertyType type) {
		return ((IntegerProperty) connect.variableHeader().properties().getProperty(type.value())).value();
	}

	@Test
	void refusesSessionExpiryOutOfRange() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new StateStoreClientManager(this.broker.options().build(), Duration.ZERO))
			.withMessageContaining("'sessionExpiry' must be PT1S to ");
	}

	@Test
	void sendsCredentialsAndToken() {
		connected(this.world.manager(this.broker.options()
			.username("user")
			.password("secret")
			.authentication(new EnhancedAuthentication("K8S-SAT", () -> "token".getBytes(StandardCharsets.UTF_8)))));
		MqttConnectMessage connect = connect(0);
		assertThat(connect.payload().userName()).isEqualTo("user");
		assertThat(connect.payload().passwordInBytes()).asString(StandardCharsets.UTF_8).isEqualTo("secret");
		assertThat(connect.variableHeader()
			.properties()
			.getProperty(MqttPropertyType.AUTHENTICATION_METHOD.value())
			.value()).isEqualTo("K8S-SAT");
	}

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
	void waitsForRoomAtReceiveMaximum() throws Exception {
		this.broker.connAck(MqttPropertyType.RECEIVE_MAXIMUM, 1);
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
	void tooLargeMessageKeepsConnection() throws Exception {
		this.broker.connAck(MqttPropertyType.MAXIMUM_PACKET_SIZE, 1000);
		IMqttAsyncClient client = client();
		assertThatExceptionOfType(MqttException.class).isThrownBy(() -> client.publish("out", new byte[1000], 1, false))
			.havingCause()
			.withMessageContaining("at most 1000");
		client.publish("out", new byte[10], 1, false).waitForCompletion(10_000);
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void unencodableMessageKeepsConnection() throws Exception {
		IMqttAsyncClient client = client();
		MqttProperties properties = new MqttProperties();
		properties.setUserProperties(new ArrayList<>(List.of(new UserProperty("name", "\ud800"))));
		MqttMessage message = new MqttMessage(new byte[1], 1, false, properties);
		assertThatThrownBy(() -> client.publish("out", message)).isNotNull();
		client.publish("out", new byte[10], 1, false).waitForCompletion(10_000);
		assertThat(this.broker.connects).hasSize(1);
	}

	// Trap: Paho reports a refusal as a success.
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
		try (CapturedLog log = new CapturedLog()) {
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

	// Trap: waitForCompletion clears the interrupt flag.
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
	void dropsQosZeroBeyondLimit() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		List<String> received = new CopyOnWriteArrayList<>();
		AdapterSubscriptions subscriptions = new AdapterSubscriptions((topic, message) -> {
			release.await();
			received.add(topic);
		});
		AdapterInbox inbox = new AdapterInbox(subscriptions, (task) -> new Thread(task).start(), () -> false);
		AdapterSession session = new AdapterSession(inbox, new AdapterSessionStore(), true, Duration.ofSeconds(1));
		try (CapturedLog log = new CapturedLog()) {
			for (int i = 0; i < AdapterInbox.MAX_UNCONFIRMED + 100; i++) {
				inbox.arrived(session, "in/" + i, new MqttMessage(new byte[0], 0, false, new MqttProperties()));
			}
			assertThat(log.messages()).hasSize(1).first().asString().contains("10000 messages of QoS 0 wait");
		}
		release.countDown();
		await("all others").until(() -> received.size() >= AdapterInbox.MAX_UNCONFIRMED);
		inbox.arrived(session, "last", new MqttMessage(new byte[0], 0, false, new MqttProperties()));
		await("the last").until(() -> received.contains("last"));
		assertThat(received.size()).isBetween(AdapterInbox.MAX_UNCONFIRMED + 1, AdapterInbox.MAX_UNCONFIRMED + 2);
	}

	@Test
	void givesUnmatchedMessagesToDefaultHandlers() {
		List<String> received = new CopyOnWriteArrayList<>();
		StateStoreClientManager manager = manager();
		manager.<MqttMessage>addDefaultMessageHandler((topic, message) -> received.add(topic));
		connected(manager);
		arrive("other", "1");
		await("the message").until(() -> received.contains("other"));
	}

	@Test
	void refusesToGiveControlOfConnection() {
		IMqttAsyncClient client = manager().getClient();
		assertThatThrownBy(client::disconnect).isInstanceOf(UnsupportedOperationException.class)
			.hasMessageContaining("StateStoreClientManager");
		assertThatThrownBy(client::close).isInstanceOf(UnsupportedOperationException.class);
		assertThatThrownBy(() -> client.setManualAcks(true)).isInstanceOf(UnsupportedOperationException.class);
	}

	@Test
	void describesItselfToAdapters() {
		StateStoreClientManager manager = this.world.manager(this.broker.options().host("::1"));
		assertThat(manager.getClientId()).isEqualTo("test");
		assertThat(manager.getPhase()).isZero();
		assertThat(manager.getConnectionInfo().isCleanStart()).isTrue();
		assertThat(manager.getConnectionInfo().getServerURIs()).containsExactly("tcp://[::1]:" + this.broker.port());
	}

}
