package io.statestore.broker;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.mqtt.MqttBrokerSettings;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.protocol.AdministrationAccess;
import io.statestore.test.FreePorts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Brokers after an error, such as exhausted memory. */
@Timeout(60)
class FatalErrorTests {

	private volatile boolean exhausted;

	@Test
	void embeddedBrokerReportsErrorAndServesNoClient() {
		OutOfMemoryError error = new OutOfMemoryError("on purpose");
		StateStoreServer server = new StateStoreServer(StateStoreServerOptions.defaults().withWallClock(() -> {
			if (this.exhausted) {
				throw error;
			}
			return System.currentTimeMillis();
		}));
		MqttBrokerSettings settings = new MqttBrokerSettings("localhost", FreePorts.next(), 10_000);
		try (StateStoreBroker broker = new StateStoreBroker(settings,
				new SingleBroker(settings, AdministrationAccess.TRUSTED, server, MemoryBudget.unlimited()));
				StoreClient client = StoreClient.connect(broker.port(), "f1")) {
			client.call("SET", "k", "v");
			assertThat(broker.failure()).isEmpty();

			this.exhausted = true;
			client.mqtt().send(client.request("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n".getBytes()));

			assertThatExceptionOfType(CompletionException.class)
				.isThrownBy(() -> broker.stopped().orTimeout(10, TimeUnit.SECONDS).join())
				.withCause(error);
			assertThat(broker.failure()).contains(error);
			client.mqtt().awaitEnd();
			// The JDK closes a socket when its selector runs the next time.
			await("the closed port")
				.untilAsserted(() -> assertThatThrownBy(() -> new Socket("localhost", broker.port()).close())
					.isInstanceOf(IOException.class));
		}
	}

	@Test
	void closedBrokerIsStoppedWithoutFailure() {
		StateStoreBroker broker = StateStoreBroker.builder().start();
		broker.close();
		assertThat(broker.stopped()).isCompleted();
		assertThat(broker.failure()).isEmpty();
	}

}
