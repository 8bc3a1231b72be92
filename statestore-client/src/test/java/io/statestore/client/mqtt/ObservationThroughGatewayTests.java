package io.statestore.client.mqtt;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.observation.ObservationRegistry;
import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.observation.KeyObservations;
import io.statestore.client.observation.ObservationOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Observations on an ordinary broker with the state store behind it. */
@Timeout(60)
class ObservationThroughGatewayTests {

	private final List<KeyChange<String>> told = new CopyOnWriteArrayList<>();

	@Test
	void survivesTheBrokerAndTheGateway() throws IOException {
		try (Mosquitto mosquitto = Mosquitto.start()) {
			StateStoreGateway gateway = gateway(mosquitto);
			StateStoreConnection connection = new StateStoreConnection(mosquitto.options().build());
			MqttCommandInvoker invoker = new MqttCommandInvoker(connection);
			try (KeyObservations observations = new KeyObservations(new MqttNotificationSource(connection), invoker,
					ObservationOptions.DEFAULT.withRenewal(Duration.ofSeconds(1))
						.withRetryDelay(Duration.ofMillis(50), Duration.ofMillis(200)),
					null, ObservationRegistry.NOOP)) {
				connection.start();
				StateStoreTemplate template = new StateStoreTemplate(invoker, null, observations);
				template.observe("key", String.class, this.told::add);
				template.set("key", "1");
				template.set("key", "2");
				awaitTold(2);
				assertThat(this.told).noneMatch(KeyChange::resynchronised);

				mosquitto.kill();
				mosquitto.restart();
				Await.until("the gateway", gateway::isServing);
				template.set("key", "3");
				awaitLast("3");

				// The connection of the client stays; only a renewal can tell.
				gateway.close();
				gateway = gateway(mosquitto);
				Await.until("the deletion " + this.told, () -> last().operation() == Operation.DELETE);
				assertThat(last().resynchronised()).isTrue();
				template.set("key", "4");
				awaitLast("4");
				assertThat(this.told.stream().map(KeyChange::version)).isSorted().doesNotHaveDuplicates();
			}
			finally {
				connection.stop();
				gateway.close();
			}
		}
	}

	private static StateStoreGateway gateway(Mosquitto mosquitto) {
		return StateStoreGateway.builder().host("127.0.0.1").port(mosquitto.port()).start();
	}

	private KeyChange<String> last() {
		return this.told.get(this.told.size() - 1);
	}

	private void awaitLast(String value) {
		Await.until(value + " in " + this.told, () -> value.equals(last().value()));
	}

	private void awaitTold(int count) {
		Await.until(count + " changes: " + this.told, () -> this.told.size() >= count);
	}

}
