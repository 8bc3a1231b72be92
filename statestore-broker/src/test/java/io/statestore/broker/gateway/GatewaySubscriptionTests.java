package io.statestore.broker.gateway;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.protocol.Topics;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** The start of a gateway at a broker that does not answer its subscription. */
@Timeout(60)
class GatewaySubscriptionTests {

	private final CountDownLatch subscribed = new CountDownLatch(1);

	private final FakeBroker broker = new FakeBroker((channel, filter) -> {
	});

	@BeforeEach
	void answerNoSubscription() {
		this.broker.answered = (packet) -> {
			boolean answered = !isForRequests(packet);
			if (!answered) {
				this.subscribed.countDown();
			}
			return answered;
		};
	}

	@AfterEach
	void close() {
		this.broker.close();
	}

	private static boolean isForRequests(MqttMessage packet) {
		return packet instanceof MqttSubscribeMessage subscribe
				&& subscribe.payload().topicSubscriptions().get(0).topicFilter().equals(Topics.REQUEST);
	}

	@Test
	void failsWithoutSubAck() {
		StateStoreGatewayBuilder gateway = StateStoreGateway.builder().host("127.0.0.1").port(this.broker.port());
		assertThat(CompletableFuture.supplyAsync(gateway::start)).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withMessageContaining("the broker does not answer SUBSCRIBE");
	}

	@Test
	void failsWithServer() throws Exception {
		GatewaySettings settings = new GatewaySettings("127.0.0.1", this.broker.port(), "gateway", null, null, null,
				Duration.ofMinutes(1), false, MemoryBudget.unlimited());
		StateStoreServer server = new StateStoreServer(StateStoreServerOptions.defaults());
		try (StateStoreGateway gateway = new StateStoreGateway(settings, server, null, Permissions.ALL,
				System::currentTimeMillis, System::nanoTime)) {
			CompletableFuture<Void> started = CompletableFuture.runAsync(gateway::start);
			assertThat(this.subscribed.await(20, TimeUnit.SECONDS)).isTrue();
			server.fail(new Error("injected"));
			assertThat(started).failsWithin(Duration.ofSeconds(5));
		}
	}

}
