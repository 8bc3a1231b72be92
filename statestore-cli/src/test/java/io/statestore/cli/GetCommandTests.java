package io.statestore.cli;

import java.nio.charset.StandardCharsets;

import io.statestore.broker.StateStoreBroker;
import io.statestore.cli.Cli.Result;
import io.statestore.client.mqtt.ConnectionOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class GetCommandTests {

	private static StateStoreBroker broker;

	private static Cli cli;

	@BeforeAll
	static void start() {
		broker = StateStoreBroker.builder().port(0).start();
		cli = Cli.on(broker.port());
		try (Session session = new Session(ConnectionOptions.builder().host("127.0.0.1").port(broker.port()).build())) {
			session.template().set("pump/1", "{\"rpm\":1450}");
		}
	}

	@AfterAll
	static void stop() {
		broker.close();
	}

	@Test
	void printsValueAndTime() {
		Result result = cli.run("get", "pump/1");
		assertThat(result.err()).isEmpty();
		assertThat(result.exitCode()).isZero();
		assertThat(result.out()).contains("pump/1", "json", "{\"rpm\":1450}")
			.containsPattern("time +\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}");
	}

	@Test
	void printsBytesOfValue() {
		assertThat(cli.run("get", "pump/1", "-o", "raw").bytes())
			.isEqualTo("{\"rpm\":1450}".getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void nestsJsonValueInJson() {
		assertThat(cli.run("get", "pump/1", "-o", "json").out()).startsWith("{\"key\":\"pump/1\"")
			.endsWith("\"format\":\"json\",\"value\":{\"rpm\":1450}}\n");
	}

	@Test
	void reportsMissingKey() {
		Result result = cli.run("get", "missing");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(result.err()).isEqualTo("Key missing does not exist\n");
	}

	@Test
	void reportsMissingBroker() {
		Result result = Cli.on(1).run("get", "pump/1");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.NO_CONNECTION);
		assertThat(result.err()).contains("connection refused", "--host", "--port").doesNotContain("statestore.");
	}

}
