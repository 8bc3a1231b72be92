package io.statestore.broker.gateway;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Starting a gateway on a broker that does not answer its subscription. */
@Timeout(60)
class GatewaySubscriptionTests {

	private final CountDownLatch subscribed = new CountDownLatch(1);

	@AutoClose
	private final FakeBroker broker = new FakeBroker((channel, filter) -> {
	});

	@BeforeEach
	void answerNoSubscription() {
		this.broker.answered = (channel, packet) -> {
			boolean answered = !isForRequests(packet);
			if (!answered) {
				this.subscribed.countDown();
			}
			return answered;
		};
	}

	private static boolean isForRequests(MqttMessage packet) {
		return packet instanceof MqttSubscribeMessage subscribe
				&& subscribe.payload().topicSubscriptions().get(0).topicFilter().equals(Topics.REQUEST);
	}

	@Test
	void failsIfSubAckIsMissing() {
		StateStoreGatewayBuilder gateway = StateStoreGateway.builder().host("127.0.0.1").port(this.broker.port());
		assertThat(CompletableFuture.supplyAsync(gateway::start)).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withMessageContaining("the broker does not answer SUBSCRIBE");
	}

	@Test
	void failsWhenServerFails() throws Exception {
		GatewaySettings settings = new GatewaySettings("127.0.0.1", this.broker.port(), "gateway", null, null, null,
				Duration.ofMinutes(1), false, MemoryBudget.unlimited());
		StateStoreServer server = new StateStoreServer(StateStoreServerOptions.defaults());
		try (StateStoreGateway gateway = new StateStoreGateway(settings, server, null, Permissions.ALL,
				System::currentTimeMillis, System::nanoTime)) {
			CompletableFuture<Void> started = CompletableFuture.runAsync(gateway::start);
			assertThat(this.subscribed.await(20, TimeUnit.SECONDS)).isTrue();
			server.fail(new Error("injected"));
			assertThat(started).failsWithin(Duration.ofSeconds(5))
				.withThrowableThat()
				.withMessageContaining("The gateway has stopped");
		}
	}

	// The session may contain requests to answer before the SUBACK arrives (MQTT 5
	// section 2.2.1).
	@Test
	void publishDoesNotReuseSubscribePacketId() throws Exception {
		CompletableFuture<Integer> subscription = new CompletableFuture<>();
		CompletableFuture<Integer> publication = new CompletableFuture<>();
		this.broker.answered = (channel, packet) -> {
			if (isForRequests(packet)) {
				subscription.complete(((MqttSubscribeMessage) packet).variableHeader().messageId());
				channel.writeAndFlush(request());
				return false;
			}
			if (packet instanceof MqttPublishMessage publish && subscription.isDone()) {
				publication.complete(publish.variableHeader().packetId());
			}
			return true;
		};
		CompletableFuture<StateStoreGateway> gateway = CompletableFuture
			.supplyAsync(StateStoreGateway.builder().host("127.0.0.1").port(this.broker.port())::start);
		assertThat(publication.get(20, TimeUnit.SECONDS)).isNotEqualTo(subscription.get());
		this.broker.close();
		assertThat(gateway).failsWithin(Duration.ofSeconds(20));
	}

	private static MqttMessage request() {
		MqttProperties properties = new MqttProperties();
		properties.add(new MqttProperties.StringProperty(MqttProperties.RESPONSE_TOPIC, Topics.response("c")));
		properties.add(new MqttProperties.BinaryProperty(MqttProperties.CORRELATION_DATA, new byte[16]));
		properties.add(new MqttProperties.UserProperty(UserProperties.SOURCE_ID, "c"));
		return MqttMessageBuilders.publish()
			.topicName(Topics.REQUEST)
			.qos(MqttQoS.AT_LEAST_ONCE)
			.messageId(1)
			.properties(properties)
			.payload(Unpooled.wrappedBuffer(Commands.encode(new Command.Get(Bytes.of("k")))))
			.build();
	}

}
