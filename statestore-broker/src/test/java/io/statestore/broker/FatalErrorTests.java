package io.statestore.broker;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.mqtt.MqttBrokerSettings;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.protocol.AdministrationAccess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Brokers after an error, such as exhausted memory. */
@Timeout(60)
class FatalErrorTests {

	private static final int VALUE_SIZE = 12 * 1024 * 1024;

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
		try (StateStoreBroker broker = new StateStoreBroker(new MqttBrokerSettings("localhost", 0, 10_000),
				AdministrationAccess.TRUSTED, server, MemoryBudget.unlimited());
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
			assertThatThrownBy(() -> new Socket("localhost", broker.port()).close()).isInstanceOf(IOException.class);
		}
	}

	@Test
	void closedBrokerIsStoppedWithoutFailure() {
		StateStoreBroker broker = StateStoreBroker.builder().start();
		broker.close();
		assertThat(broker.stopped()).isCompleted();
		assertThat(broker.failure()).isEmpty();
	}

	@Tag("long")
	@Test
	void standaloneBrokerExitsWhenMemoryIsExhausted() throws Exception {
		// Packets arrive outside the heap, where the limits on the heap do not count.
		try (StandaloneProcess process = StandaloneProcess.start("-Xmx64m", "-XX:MaxDirectMemorySize=6m", "--port", "0",
				"--memory-per-client", "16000000")) {
			byte[] value = new byte[VALUE_SIZE];
			assertThatThrownBy(() -> {
				try (StoreClient client = StoreClient.connect(process.port(), "f2")) {
					client.call("SET", "k", value);
				}
			}).as("the connection ends").isNotNull();
			assertThat(process.exitCode()).isEqualTo(3);
		}
	}

}
