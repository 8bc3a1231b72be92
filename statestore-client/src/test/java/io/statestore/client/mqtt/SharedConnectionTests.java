package io.statestore.client.mqtt;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Topics;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.IMqttMessageListener;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.mqtt.inbound.Mqttv5PahoMessageDrivenChannelAdapter;
import org.springframework.integration.mqtt.outbound.Mqttv5PahoMessageHandler;
import org.springframework.messaging.support.GenericMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** What users do with the connection that the state store client shares with them. */
@Timeout(60)
class SharedConnectionTests {

	private final Mosquitto mosquitto;

	private final StateStoreConnection connection;

	private final MqttCommandInvoker invoker;

	private final StateStoreConnection store;

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

	SharedConnectionTests() throws IOException {
		this.mosquitto = Mosquitto.start();
		this.connection = new StateStoreConnection(this.mosquitto.options().clientId("app").build());
		this.invoker = new MqttCommandInvoker(this.connection);
		this.store = new StateStoreConnection(this.mosquitto.options().clientId("store").build());
	}

	/** Mosquitto with a minimal state store: {@code +OK} to everything. */
	@BeforeEach
	void startStore() {
		this.store.addSubscription(Topics.REQUEST, (topic, request) -> {
			MqttProperties properties = new MqttProperties();
			properties.setCorrelationData(request.getProperties().getCorrelationData());
			MqttMessage reply = new MqttMessage("+OK\r\n".getBytes(), 1, false, properties);
			String responseTopic = request.getProperties().getResponseTopic();
			this.store.threads().listeners.execute(() -> publish(this.store.getClient(), responseTopic, reply));
		});
		this.store.start();
	}

	@AfterEach
	void close() {
		this.context.close();
		this.connection.stop();
		this.store.stop();
		this.mosquitto.close();
	}

	private static void publish(IMqttAsyncClient client, String topic, MqttMessage message) {
		try {
			client.publish(topic, message);
		}
		catch (MqttException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void assertStoreAnswers() throws Exception {
		assertThat(
				this.invoker.invoke(new Command.Del(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS).reply())
			.isEqualTo(new Reply.Ok());
	}

	/** An inbound adapter for a topic as users declare them. */
	private Mqttv5PahoMessageDrivenChannelAdapter adapter(String name, Consumer<String> handler, String... topics) {
		DirectChannel channel = new DirectChannel();
		channel.subscribe((message) -> handler.accept(new String((byte[]) message.getPayload())));
		Mqttv5PahoMessageDrivenChannelAdapter adapter = new Mqttv5PahoMessageDrivenChannelAdapter(this.connection,
				topics);
		adapter.setOutputChannel(channel);
		this.context.registerBean(name + "Channel", DirectChannel.class, () -> channel);
		this.context.registerBean(name, Mqttv5PahoMessageDrivenChannelAdapter.class, () -> adapter);
		return adapter;
	}

	private Mqttv5PahoMessageHandler handler(String topic) {
		Mqttv5PahoMessageHandler handler = new Mqttv5PahoMessageHandler(this.connection);
		handler.setDefaultTopic(topic);
		handler.setDefaultQos(1);
		this.context.registerBean("handler", Mqttv5PahoMessageHandler.class, () -> handler);
		return handler;
	}

	/** With the connection as a bean, so that phases decide who starts first. */
	private void startContext() {
		this.context.register(Config.class);
		this.context.registerBean("connection", StateStoreConnection.class, () -> this.connection);
		this.context.refresh();
		// What an endpoint in front of a handler does.
		this.context.getBeansOfType(Mqttv5PahoMessageHandler.class).values().forEach(Mqttv5PahoMessageHandler::start);
	}

	@EnableIntegration
	static class Config {

	}

	@Test
	void adapterHandlerAndCallsShareOneConnection() throws Exception {
		adapter("adapter", this.received::add, "news/+");
		Mqttv5PahoMessageHandler handler = handler("news/today");
		startContext();
		for (int i = 0; i < 100; i++) {
			handler.handleMessage(new GenericMessage<>("message " + i));
			assertStoreAnswers();
		}
		for (int i = 0; i < 100; i++) {
			assertThat(this.received.poll(10, TimeUnit.SECONDS)).isEqualTo("message " + i);
		}
	}

	@Test
	void adaptersSurviveABrokerThatLostEverything() throws Exception {
		adapter("adapter", this.received::add, "news/+");
		Mqttv5PahoMessageHandler handler = handler("news/today");
		startContext();
		handler.handleMessage(new GenericMessage<>("before"));
		assertThat(this.received.poll(10, TimeUnit.SECONDS)).isEqualTo("before");
		this.mosquitto.kill();
		Await.until("the loss", () -> !this.connection.isConnected());
		this.mosquitto.restart();
		// Waits for the connection, as with the client manager of Spring Integration.
		handler.handleMessage(new GenericMessage<>("after"));
		assertThat(this.connection.awaitConnected(Duration.ofSeconds(10))).isTrue();
		handler.handleMessage(new GenericMessage<>("last"));
		Await.until("the last message", () -> this.received.contains("last"));
		Await.until("the store", this.store::isConnected);
		assertStoreAnswers();
	}

	// Trap: an exception in a per-subscription listener drops the connection.
	@Test
	void anAdapterWhoseFlowThrowsKeepsReceiving() throws Exception {
		List<String> seen = new CopyOnWriteArrayList<>();
		adapter("adapter", (text) -> {
			seen.add(text);
			throw new IllegalStateException("flow");
		}, "news/+");
		Mqttv5PahoMessageHandler handler = handler("news/today");
		startContext();
		handler.handleMessage(new GenericMessage<>("1"));
		handler.handleMessage(new GenericMessage<>("2"));
		Await.until("both messages", () -> seen.equals(List.of("1", "2")));
		assertStoreAnswers();
	}

	// Trap: a callback that blocks stalls everything, and reconnection for good.
	@Test
	void anAdapterWhoseFlowBlocksHoldsUpNobody() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		adapter("blocked", (text) -> {
			try {
				release.await();
				this.received.add("blocked " + text);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}, "news/blocked");
		adapter("free", (text) -> this.received.add("free " + text), "news/free");
		Mqttv5PahoMessageHandler handler = handler("news/free");
		startContext();
		for (int i = 0; i < 50; i++) {
			publish(this.connection.getClient(), "news/blocked", new MqttMessage("x".getBytes()));
		}
		handler.handleMessage(new GenericMessage<>("1"));
		assertThat(this.received.poll(10, TimeUnit.SECONDS)).isEqualTo("free 1");
		assertStoreAnswers();
		this.mosquitto.kill();
		Await.until("the loss", () -> !this.connection.isConnected());
		this.mosquitto.restart();
		Await.until("both connections", () -> this.connection.isConnected() && this.store.isConnected());
		assertStoreAnswers();
		release.countDown();
		assertThat(this.received.poll(10, TimeUnit.SECONDS)).isEqualTo("blocked x");
	}

	// Trap: a blocking call inside a callback never completes.
	@Test
	void aFlowMayCallTheStoreAndPublishAndWait() throws Exception {
		adapter("adapter", (text) -> {
			this.received
				.add("store " + this.invoker.invoke(new Command.Del(Bytes.of("k")), Options.DEFAULT).join().reply());
			try {
				this.connection.getClient().publish("other", "x".getBytes(), 1, false).waitForCompletion(5000);
				this.received.add("published");
			}
			catch (MqttException ex) {
				throw new IllegalStateException(ex);
			}
		}, "news/+");
		startContext();
		publish(this.connection.getClient(), "news/1", new MqttMessage("x".getBytes()));
		assertThat(this.received.poll(10, TimeUnit.SECONDS)).isEqualTo("store " + new Reply.Ok());
		assertThat(this.received.poll(10, TimeUnit.SECONDS)).isEqualTo("published");
	}

	@Test
	void anAdapterStopsAndStartsOnItsOwn() throws Exception {
		Mqttv5PahoMessageDrivenChannelAdapter adapter = adapter("adapter", this.received::add, "news/+");
		Mqttv5PahoMessageHandler handler = handler("news/today");
		startContext();
		adapter.stop();
		handler.handleMessage(new GenericMessage<>("missed"));
		adapter.start();
		handler.handleMessage(new GenericMessage<>("seen"));
		assertThat(this.received.poll(10, TimeUnit.SECONDS)).isEqualTo("seen");
		adapter.addTopic("more", 1);
		publish(this.connection.getClient(), "more", new MqttMessage("added".getBytes()));
		assertThat(this.received.poll(10, TimeUnit.SECONDS)).isEqualTo("added");
		assertStoreAnswers();
	}

	@Test
	void theContextStopsAndStartsAgain() throws Exception {
		adapter("adapter", this.received::add, "news/+");
		Mqttv5PahoMessageHandler handler = handler("news/today");
		startContext();
		this.context.stop();
		assertThat(this.connection.isRunning()).isFalse();
		this.context.start();
		handler.handleMessage(new GenericMessage<>("again"));
		assertThat(this.received.poll(10, TimeUnit.SECONDS)).isEqualTo("again");
	}

	@Test
	void anAdapterStartsBeforeTheBroker() throws Exception {
		this.mosquitto.kill();
		adapter("adapter", this.received::add, "news/+");
		Mqttv5PahoMessageHandler handler = handler("news/today");
		startContext();
		this.mosquitto.restart();
		assertThat(this.connection.awaitConnected(Duration.ofSeconds(10))).isTrue();
		Await.until("a message", () -> {
			handler.handleMessage(new GenericMessage<>("hello"));
			return !this.received.isEmpty();
		});
	}

	@Test
	void aSharedSubscriptionReachesItsListenerOnce() throws Exception {
		adapter("adapter", this.received::add, "$share/group/news/+");
		startContext();
		publish(this.connection.getClient(), "news/1", new MqttMessage("x".getBytes()));
		publish(this.connection.getClient(), "news/2", new MqttMessage("end".getBytes()));
		assertThat(this.received.poll(10, TimeUnit.SECONDS)).isEqualTo("x");
		assertThat(this.received.poll(10, TimeUnit.SECONDS)).isEqualTo("end");
	}

	// Trap: some overloads of subscribe throw IndexOutOfBounds.
	@Test
	void everyOverloadOfSubscribeWorks() throws Exception {
		this.connection.start();
		IMqttAsyncClient client = this.connection.getClient();
		IMqttMessageListener listener = (topic, message) -> this.received.add(topic);
		MqttSubscription[] array = { new MqttSubscription("a", 1) };
		List<IMqttToken> tokens = new ArrayList<>();
		tokens.add(client.subscribe(new MqttSubscription("b", 1), listener));
		tokens.add(client.subscribe(new MqttSubscription("c", 1), "context", null, listener, new MqttProperties()));
		tokens.add(client.subscribe(array, listener));
		tokens.add(client.subscribe(new MqttSubscription[] { new MqttSubscription("d", 0) }, null, null, listener,
				new MqttProperties()));
		tokens.add(client.subscribe(new MqttSubscription[] { new MqttSubscription("e", 0) }, null, null,
				new IMqttMessageListener[] { listener }, new MqttProperties()));
		tokens.add(client.subscribe("f", 1));
		tokens.add(client.subscribe(new String[] { "g", "h" }, new int[] { 0, 1 }));
		tokens.add(client.subscribe(new MqttSubscription("i", 1)));
		for (IMqttToken token : tokens) {
			token.waitForCompletion(5000);
		}
		assertThat(tokens.get(1).getUserContext()).isEqualTo("context");
		assertThat(tokens.get(6).getReasonCodes()).containsExactly(0, 1);
		this.connection.addDefaultMessageHandler((topic, message) -> this.received.add("default " + topic));
		for (String topic : List.of("a", "b", "c", "d", "e", "f", "h")) {
			client.publish(topic, new byte[0], 1, false).waitForCompletion(5000);
		}
		List<String> topics = new ArrayList<>();
		for (int i = 0; i < 7; i++) {
			topics.add(this.received.poll(10, TimeUnit.SECONDS));
		}
		assertThat(topics).containsExactlyInAnyOrder("a", "b", "c", "d", "e", "default f", "default h");
		client.unsubscribe("a").waitForCompletion(5000);
		client.unsubscribe(new String[] { "b", "c" }).waitForCompletion(5000);
	}

	@Test
	void listenersOfOutcomesRunOffTheNetworkThreads() throws Exception {
		this.connection.start();
		BlockingQueue<String> threads = new LinkedBlockingQueue<>();
		MqttActionListener listener = new MqttActionListener() {

			@Override
			public void onSuccess(IMqttToken token) {
				threads.add(Thread.currentThread().getName());
				throw new IllegalStateException("listener");
			}

			@Override
			public void onFailure(IMqttToken token, Throwable exception) {
				threads.add("failure");
			}

		};
		this.connection.getClient().publish("x", new MqttMessage(new byte[0], 1, false, null), null, listener);
		this.connection.getClient().subscribe("x", 1, null, listener);
		this.connection.getClient().unsubscribe("x", null, listener);
		this.connection.getClient().connect(null, null, listener);
		for (int i = 0; i < 4; i++) {
			assertThat(threads.poll(10, TimeUnit.SECONDS)).startsWith("statestore-listener");
		}
		assertStoreAnswers();
	}

	@Test
	void whatWouldHarmTheOthersIsRefused() {
		this.connection.start();
		IMqttAsyncClient client = this.connection.getClient();
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(client::disconnect)
			.withMessageContaining("'disconnect'")
			.withMessageContaining("a client of your own");
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(client::close);
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> client.setManualAcks(true));
		assertThatIllegalArgumentException().isThrownBy(() -> client.unsubscribe(Topics.response("app")))
			.withMessageContaining("State Store itself");
		assertThat(client.isConnected()).isTrue();
		assertThat(client.getClientId()).isEqualTo("app");
		assertThat(client).isEqualTo(client)
			.isSameAs(this.connection.getClient())
			.hasToString("Shared client of " + this.connection.getUrl());
		assertThat(Arrays.asList(client.getPendingTokens())).isEmpty();
	}

	@Test
	void withoutConnectionTheSharedClientSaysSo() {
		assertThatExceptionOfType(MqttException.class)
			.isThrownBy(() -> this.connection.getClient().publish("x", new byte[0], 1, false))
			.withMessageContaining("not connected");
		assertThat(this.connection.getClient().isConnected()).isFalse();
		assertThatExceptionOfType(MqttException.class)
			.isThrownBy(() -> this.connection.getClient().connect().waitForCompletion(10));
	}

	@Test
	void anInvocationOfACallbackThatBlocksDoesNotHoldUpCalls() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		this.connection.addCallback((reconnect) -> {
			try {
				release.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		Thread starter = new Thread(this.connection::start);
		starter.start();
		Await.until("the connection", this.connection::isConnected);
		assertStoreAnswers();
		release.countDown();
		starter.join();
	}

	@Test
	void fiftySequentialCallsAreQuick() throws Exception {
		this.connection.start();
		assertStoreAnswers();
		long before = System.nanoTime();
		for (int i = 0; i < 50; i++) {
			assertStoreAnswers();
		}
		// Trap: with Paho's own socket each takes 44 ms, 2.2 s in all.
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(1));
	}

	@Test
	void aPlainBrokerIsNamedAsSuch() throws Exception {
		this.store.stop();
		this.connection.start();
		assertThat(catchFailure()).hasMessageContaining("no state store answers");
	}

	private Throwable catchFailure() throws Exception {
		return this.invoker.invoke(new Command.Del(Bytes.of("k")), Options.DEFAULT)
			.handle((response, failure) -> failure)
			.get(10, TimeUnit.SECONDS);
	}

}
