package io.statestore.client.mqtt.integration;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.client.mqtt.internal.FakeBroker;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import org.springframework.integration.mqtt.inbound.Mqttv5PahoMessageDrivenChannelAdapter;
import org.springframework.integration.mqtt.outbound.Mqttv5PahoMessageHandler;
import org.springframework.messaging.support.GenericMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** Lifecycle of the connection of the adapters. */
@Timeout(30)
@Isolated("looks at all threads")
class StateStoreClientManagerTests extends ClientManagerFixture {

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
	void subscribesAgainAtOtherHost() {
		FakeBroker other = new FakeBroker();
		try {
			List<String> hosts = List.of("127.0.0.1:" + this.broker.port(), "127.0.0.1:" + other.port());
			StateStoreClientManager manager = this.world.manager(ConnectionOptions.builder()
				.hosts(hosts)
				.clientId("test")
				.reconnectDelay(Duration.ofHours(1), Duration.ofHours(1)));
			assertThat(manager.getConnectionInfo().getServerURIs()).containsExactly("tcp://" + hosts.get(0),
					"tcp://" + hosts.get(1));
			this.world.inbound(manager, (message) -> {
			}, new MqttSubscription("in/#", 1)).start();
			await("the subscription")
				.until(() -> this.broker.subscriptions.contains("in/#") || other.subscriptions.contains("in/#"));
			FakeBroker first = this.broker.subscriptions.isEmpty() ? other : this.broker;
			FakeBroker second = (first == other) ? this.broker : other;
			first.stop();
			await("the subscription at the other host").until(() -> second.subscriptions.contains("in/#"));
		}
		finally {
			other.close();
		}
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
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
		release.countDown();
		await("the end of all threads").until(() -> threads().isEmpty());
	}

	// All adapters share the thread that is blocked.
	@Test
	void adaptersStopTogetherWhileFlowIsBlocked() throws Exception {
		CountDownLatch blocked = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		StateStoreClientManager manager = manager();
		List<Mqttv5PahoMessageDrivenChannelAdapter> adapters = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			adapters.add(this.world.subscribe(manager, (message) -> {
				blocked.countDown();
				try {
					release.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}, new MqttSubscription("in/" + i, 1)));
		}
		arrive("in/0", "1");
		assertThat(blocked.await(10, TimeUnit.SECONDS)).isTrue();
		long start = System.nanoTime();
		adapters.forEach(Mqttv5PahoMessageDrivenChannelAdapter::stop);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
		release.countDown();
	}

	@Test
	void stopsQuicklyDuringOutage() throws Exception {
		this.broker.onRequest = (broker, request) -> {
		};
		StateStoreClientManager manager = manager();
		IMqttToken token = connected(manager).publish("out", new byte[1], 1, false);
		await("the publish").until(() -> !this.broker.requests.isEmpty());
		this.broker.stop();
		await("the outage").until(() -> !manager.isConnected() && token.isComplete());
		long start = System.nanoTime();
		manager.stop();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
	}

	@Test
	void stopWaitsForPublishesInFlight() throws Exception {
		Queue<FakeBroker.Request> unanswered = new ConcurrentLinkedQueue<>();
		this.broker.onRequest = (broker, request) -> unanswered.add(request);
		StateStoreClientManager manager = manager();
		IMqttAsyncClient client = connected(manager);
		IMqttToken token = client.publish("out", new byte[1], 1, false);
		await("the publish").until(() -> !unanswered.isEmpty());
		manager.setCompletionTimeout(10_000);
		CompletableFuture<Void> stop = CompletableFuture.runAsync(manager::stop);
		await("the stop").until(() -> !manager.isRunning());
		assertThat(stop).isNotDone();
		unanswered.remove().ack(0);
		token.waitForCompletion(10_000);
		stop.get(10, TimeUnit.SECONDS);
		assertThat(this.broker.disconnects).hasValue(1);
	}

	@Test
	void stopEndsAtCompletionTimeout() throws Exception {
		this.broker.onRequest = (broker, request) -> {
		};
		StateStoreClientManager manager = manager();
		IMqttToken token = connected(manager).publish("out", new byte[1], 1, false);
		await("the publish").until(() -> !this.broker.requests.isEmpty());
		manager.setCompletionTimeout(300);
		long start = System.nanoTime();
		manager.stop();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(300),
				Duration.ofSeconds(10));
		assertThat(token.getException()).isNotNull();
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
			.extracting((connect) -> property(connect, MqttProperties.SESSION_EXPIRY_INTERVAL))
			.containsOnly(3600);
		assertThat(property(connect(0), MqttProperties.RECEIVE_MAXIMUM)).isEqualTo(AdapterInbox.RECEIVE_MAXIMUM);
	}

	@Test
	void rejectsSessionExpiryOutOfRange() {
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
		assertThat(connect.variableHeader().properties().getProperty(MqttProperties.AUTHENTICATION_METHOD).value())
			.isEqualTo("K8S-SAT");
	}

	@Test
	void passesUnmatchedMessagesToDefaultHandlers() {
		List<String> received = new CopyOnWriteArrayList<>();
		StateStoreClientManager manager = manager();
		manager.<MqttMessage>addDefaultMessageHandler((topic, message) -> received.add(topic));
		connected(manager);
		arrive("other", "1");
		await("the message").until(() -> received.contains("other"));
	}

	@Test
	void describesItselfToAdapters() {
		StateStoreClientManager manager = this.world.manager(this.broker.options().host("::1"));
		assertThat(manager.getClientId()).isEqualTo("test");
		assertThat(manager.getPhase()).isZero();
		assertThat(manager.getConnectionInfo().isCleanStart()).isTrue();
		assertThat(manager.getConnectionInfo().getServerURIs()).containsExactly("tcp://[::1]:" + this.broker.port());
	}

	private MqttConnectMessage connect(int index) {
		return List.copyOf(this.broker.connects).get(index);
	}

	private static Integer property(MqttConnectMessage connect, int type) {
		return ((IntegerProperty) connect.variableHeader().properties().getProperty(type)).value();
	}

}
