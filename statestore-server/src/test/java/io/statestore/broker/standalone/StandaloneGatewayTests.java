package io.statestore.broker.standalone;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.JavaProcess;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The gateway in a separate process. */
@Timeout(60)
class StandaloneGatewayTests {

	@Test
	@RequiresProgram("mosquitto")
	void servesBrokerAndRefusesSecondGateway() throws Exception {
		try (Mosquitto mosquitto = Mosquitto.start()) {
			String broker = "mqtt://127.0.0.1:" + mosquitto.port();
			try (StandaloneProcess gateway = StandaloneProcess.start("gateway", broker, "--observation-lease", "60");
					StoreClient client = StoreClient.connect(mosquitto.port(), "c")) {
				assertThat(gateway.port()).isEqualTo(mosquitto.port());
				client.call("SET", "k", "v");
				assertThat(client.value("k")).isEqualTo("v");

				try (JavaProcess second = StandaloneProcess.launch("gateway", broker)) {
					assertThat(second.awaitExit(StandaloneProcess.EXIT_TIMEOUT)).isEqualTo(1);
					assertThat(second.output() + second.errors()).hasLineCount(1)
						.contains("Another state store already serves " + broker);
				}
			}
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "--max-keys | 0 | Option --max-keys is '0'; valid is at least 1",
					"--max-bytes | 1G | Option --max-bytes is '1073741824'; valid is at most",
					"--reply-memory | 1G | Option --reply-memory is '1073741824'; valid is at most",
					"--client-memory | 1G | Option --client-memory is '1073741824'; valid is at most",
					"--memory-per-client | 0 | Option --memory-per-client is '0'; valid is at least 65536" })
	void refusesLimitWithOptionAndNextStep(String option, String value, String error) throws Exception {
		try (JavaProcess process = StandaloneProcess.launch("-Xmx256m", "gateway", "mqtt://localhost:1", option,
				value)) {
			assertThat(process.awaitExit(StandaloneProcess.EXIT_TIMEOUT)).isEqualTo(2);
			assertThat(process.output() + process.errors()).contains(error, "Usage:");
		}
	}

	@Test
	void printsValidFormOfAddress() throws Exception {
		try (JavaProcess process = StandaloneProcess.launch("gateway", "broker.example:1883")) {
			assertThat(process.awaitExit(StandaloneProcess.EXIT_TIMEOUT)).isEqualTo(2);
			assertThat(process.output() + process.errors())
				.contains("The broker is 'broker.example:1883'; valid is mqtt://host:port or mqtts://host:port")
				.contains("Usage: java -jar statestore-server-exec.jar gateway");
		}
	}

}
