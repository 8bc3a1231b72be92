package io.statestore.client.mqtt;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.mqtt.TestedTransport.PahoOnly;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Topics;
import org.eclipse.paho.mqttv5.client.IMqttMessageListener;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.UserProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.mqtt.inbound.Mqttv5PahoMessageDrivenChannelAdapter;
import org.springframework.integration.mqtt.outbound.Mqttv5PahoMessageHandler;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.ByteArrayMessageConverter;
import org.springframework.messaging.converter.StringMessageConverter;
import org.springframework.messaging.support.GenericMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What users do with the connection that they share with the state store client. */
@Timeout(30)
@PahoOnly
class SharedConnectionTests {

	private static final Command GET = new Command.Get(Bytes.of("key"));

	private final FakeBroker broker = new FakeBroker();

	private final StateStoreConnection connection = new StateStoreConnection(
			this.broker.options().startTimeout(Duration.ofSeconds(10)).build());

	private final MqttCommandInvoker invoker = new MqttCommandInvoker(this.connection);

	@AfterEach
	void close() {
		this.connection.close();
		this.broker.close();
	}

	private void assertCallsWork() throws Exception {
		assertThat(this.invoker.invoke(GET, Options.DEFAULT).get(10, TimeUnit.SECONDS).reply())
			.isEqualTo(new Reply.Ok());
	}

	private void publish(String topic, String payload) {
		this.broker.publish(topic, payload, io.netty.handler.codec.mqtt.MqttProperties.NO_PROPERTIES);
	}

	private void dropAndAwaitNewConnection() {
		int connects = this.broker.connects.size();
		this.broker.drop();
		Await.until("a new connection", () -> this.broker.connects.size() > connects && this.connection.isConnected());
	}

	@Test
	void aMessageTooLargeForTheBrokerDoesNotCostTheConnection() throws Exception {
		this.broker.connAck(MqttPropertyType.MAXIMUM_PACKET_SIZE, 1000);
		this.connection.start();
		assertThatExceptionOfType(MqttException.class)
			.isThrownBy(() -> this.connection.getClient().publish("user/topic", new byte[1000], 1, false))
			.havingCause()
			.withMessageContaining("at most 1000");
		assertCallsWork();
		assertThat(this.broker.largestPacket.get()).isLessThanOrEqualTo(1000);
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void aMessageThatCannotBeEncodedDoesNotCostTheConnection() throws Exception {
		this.connection.start();
		MqttProperties properties = new MqttProperties();
		properties.setUserProperties(new ArrayList<>(List.of(new UserProperty("name", "\ud800"))));
		MqttMessage message = new MqttMessage(new byte[1], 1, false, properties);
		assertThatThrownBy(() -> this.connection.getClient().publish("user/topic", message)).isNotNull();
		assertCallsWork();
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void noListenerInPlaceOfOneLosesNoRoom() throws Exception {
		this.broker.connAck(MqttPropertyType.RECEIVE_MAXIMUM, 1);
		AtomicReference<FakeBroker.Request> published = new AtomicReference<>();
		this.broker.onRequest = (broker, request) -> published.set(request);
		this.connection.start();
		IMqttToken token = this.connection.getClient().publish("user/topic", new byte[1], 1, false);
		token.setActionCallback(null);
		Await.until("the publish", () -> published.get() != null);
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply("+OK\r\n");
		};
		Objects.requireNonNull(published.get()).ack(0);
		assertCallsWork();
	}

	@Test
	void aListenerKeepsItsOrderAcrossItsFiltersAndConnections() throws Exception {
		List<String> seen = new CopyOnWriteArrayList<>();
		CountDownLatch release = new CountDownLatch(1);
		IMqttMessageListener listener = (topic, message) -> {
			seen.add("begin " + topic);
			release.await();
			seen.add("end " + topic);
		};
		this.connection.start();
		subscribe(listener, "a", "b");
		publish("a", "1");
		publish("b", "2");
		// Its reply comes after both: what has not arrived at a drop is lost.
		assertCallsWork();
		Await.until("the first message", () -> !seen.isEmpty());
		dropAndAwaitNewConnection();
		// As the adapters of Spring Integration do: another object for the same target.
		subscribe((topic, message) -> listener.messageArrived(topic, message), "a", "b");
		publish("a", "3");
		assertCallsWork();
		release.countDown();
		Await.until("all messages", () -> seen.size() == 6);
		assertThat(seen).containsExactly("begin a", "end a", "begin b", "end b", "begin a", "end a");
	}

	private void subscribe(IMqttMessageListener listener, String... filters) throws MqttException {
		MqttSubscription[] subscriptions = new MqttSubscription[filters.length];
		for (int i = 0; i < filters.length; i++) {
			subscriptions[i] = new MqttSubscription(filters[i], 1);
		}
		this.connection.getClient()
			.subscribe(subscriptions, null, null, listener, new MqttProperties())
			.waitForCompletion(5000);
	}

	@Test
	void aSubscriptionThatCoversOurTopicsTakesNothingFromCalls() throws Exception {
		List<String> seen = new CopyOnWriteArrayList<>();
		this.connection.start();
		subscribe((topic, message) -> seen.add(topic), "#");
		publish("other", "1");
		assertCallsWork();
		Await.until("the message", () -> seen.contains("other"));
		assertThat(seen).doesNotContain(Topics.response("test"));
		assertThatThrownBy(() -> this.connection.getClient().unsubscribe(Topics.response("test")))
			.isInstanceOf(IllegalArgumentException.class);
		this.connection.getClient().unsubscribe("#").waitForCompletion(5000);
		assertCallsWork();
	}

	@Test
	void adaptersOfSpringIntegrationShareTheConnectionAndSurviveItsLoss() throws Exception {
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			if (request.topic().startsWith("out")) {
				publish("in/echo", request.text());
			}
			else {
				request.reply("+OK\r\n");
			}
		};
		QueueChannel channel = new QueueChannel();
		Mqttv5PahoMessageDrivenChannelAdapter inbound = new Mqttv5PahoMessageDrivenChannelAdapter(this.connection,
				"in/#");
		inbound.setPayloadType(byte[].class);
		inbound.setOutputChannel(channel);
		inbound.setMessageConverter(new ByteArrayMessageConverter());
		inbound.setBeanFactory(new DefaultListableBeanFactory());
		inbound.setApplicationEventPublisher((event) -> {
		});
		inbound.afterPropertiesSet();
		Mqttv5PahoMessageHandler outbound = new Mqttv5PahoMessageHandler(this.connection);
		outbound.setDefaultTopic("out/topic");
		outbound.setDefaultQos(1);
		outbound.setConverter(new StringMessageConverter());
		outbound.setBeanFactory(new DefaultListableBeanFactory());
		outbound.afterPropertiesSet();
		this.connection.start();
		inbound.start();
		outbound.start();
		Await.until("the subscription", () -> this.broker.subscriptions.contains("in/#"));
		for (int round = 0; round < 3; round++) {
			outbound.handleMessage(new GenericMessage<>("round " + round));
			Message<?> echo = channel.receive(10_000);
			assertThat(echo).isNotNull();
			assertThat(new String((byte[]) echo.getPayload(), StandardCharsets.UTF_8)).isEqualTo("round " + round);
			assertCallsWork();
			int subscribed = this.broker.subscriptions.size();
			dropAndAwaitNewConnection();
			Await.until("both subscriptions", () -> this.broker.subscriptions.size() == subscribed + 2);
		}
		inbound.stop();
		outbound.stop();
		Await.until("the end of the subscription", () -> this.broker.unsubscriptions.contains("in/#"));
		assertCallsWork();
	}

	@Test
	void aListenerThatBlocksOrThrowsHoldsUpNobody() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		this.connection.start();
		subscribe((topic, message) -> release.await(), "blocks");
		subscribe((topic, message) -> {
			throw new IllegalStateException("Expected");
		}, "throws");
		CompletableFuture<String> other = new CompletableFuture<>();
		subscribe((topic, message) -> other.complete(topic), "other");
		for (int i = 0; i < 100; i++) {
			publish("blocks", "1");
			publish("throws", "1");
		}
		publish("other", "1");
		assertThat(other.get(10, TimeUnit.SECONDS)).isEqualTo("other");
		assertCallsWork();
		release.countDown();
		assertThat(this.broker.connects).hasSize(1);
	}

}
