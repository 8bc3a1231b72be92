package io.statestore.boot;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Entry;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.integration.StateStoreClientManager;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.integration.mqtt.event.MqttSubscribedEvent;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs the snippets about MQTT adapters in {@code docs/spring-boot.md}. */
@Timeout(60)
class SpringIntegrationDocumentationTests {

	@Test
	void overheatingIsReported() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			ConnectionOptions options = ConnectionOptions.builder().host(broker.host()).port(broker.port()).build();
			StateStoreClientManager clientManager = new StateStoreClientManager(
					options.withClientId(options.clientId() + "-integration"));
			try (AnnotationConfigApplicationContext context = context(clientManager, null, SensorFlows.class)) {
				IMqttAsyncClient client = clientManager.getClient();
				BlockingQueue<String> alarms = new LinkedBlockingQueue<>();
				client
					.subscribe(new MqttSubscription[] { new MqttSubscription("alarms", 1) }, null, null,
							(topic, message) -> alarms.add(text(message.getPayload())), new MqttProperties())
					.waitForCompletion(10_000);
				publish(client, "sensors/oven/temperature", "79");
				publish(client, "sensors/oven/temperature", "81");
				assertThat(alarms.poll(10, TimeUnit.SECONDS)).isEqualTo("Too hot: 81");
			}
		}
	}

	@Test
	void readingsAreArchived() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			ConnectionOptions options = ConnectionOptions.builder()
				.host(broker.host())
				.port(broker.port())
				.startTimeout(Duration.ofSeconds(20))
				.build();
			StateStoreConnection connection = new StateStoreConnection(options);
			connection.start();
			StateStoreTemplate store = new StateStoreTemplate(connection);
			StateStoreClientManager clientManager = new StateStoreClientManager(
					options.withClientId(options.clientId() + "-integration"));
			clientManager.setManualAcks(true);
			try (AnnotationConfigApplicationContext context = context(clientManager, store, ReadingFlows.class)) {
				publish(clientManager.getClient(), "readings/oven", "21.5");
				long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
				while (store.get("readings/latest", String.class).isEmpty()) {
					assertThat(System.nanoTime()).isLessThan(deadline);
				}
				assertThat(store.get("readings/latest", String.class)).map(Entry::value).contains("21.5");
			}
			finally {
				connection.stop();
			}
		}
	}

	/** Returns a context whose inbound adapter has subscribed. */
	private static AnnotationConfigApplicationContext context(StateStoreClientManager clientManager,
			@Nullable StateStoreTemplate store, Class<?> flows) throws InterruptedException {
		BlockingQueue<Object> subscribed = new LinkedBlockingQueue<>();
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(StateStoreClientManager.class, () -> clientManager);
		if (store != null) {
			context.registerBean(StateStoreTemplate.class, () -> store);
		}
		context.register(flows);
		context.addApplicationListener((event) -> {
			if (event instanceof MqttSubscribedEvent) {
				subscribed.add(event);
			}
		});
		context.refresh();
		assertThat(subscribed.poll(10, TimeUnit.SECONDS)).isNotNull();
		return context;
	}

	private static void publish(IMqttAsyncClient client, String topic, String payload) throws Exception {
		client.publish(topic, payload.getBytes(StandardCharsets.UTF_8), 1, false).waitForCompletion(10_000);
	}

	private static String text(byte[] payload) {
		return new String(payload, StandardCharsets.UTF_8);
	}

}
