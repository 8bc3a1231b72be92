package io.statestore.broker.standalone;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the gateway in a separate process. */
@Timeout(60)
class StandaloneGatewayTests {

	@Test
	@RequiresProgram("mosquitto")
	void servesBrokerAndRefusesSecondGateway() throws Exception {
		try (Mosquitto mosquitto = Mosquitto.start()) {
			String broker = "mqtt://127.0.0.1:" + mosquitto.port();
			try (StandaloneProcess gateway = StandaloneProcess.start("gateway", broker, "--watch-lease", "60");
					StoreClient client = StoreClient.connect(mosquitto.port(), "c")) {
				assertThat(gateway.port()).isEqualTo(mosquitto.port());
				client.call("SET", "k", "v");
				assertThat(client.value("k")).isEqualTo("v");

				TestCommand second = new TestCommand();
				assertThat(second.run("gateway", broker)).isEqualTo(1);
				assertThat(second.errors()).hasLineCount(1).contains("Another state store already serves " + broker);
			}
		}
	}

}
