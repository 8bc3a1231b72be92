package io.statestore.sample;

import java.time.Duration;
import java.util.Map;

import io.statestore.broker.StateStoreBroker;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

class SampleApplicationTests {

	@Test
	void measuresThisMachineOnItsOwnBroker() {
		try (ConfigurableApplicationContext sample = run("--sample.name=press-1")) {
			Map<?, ?> cpu = awaitMachine(sample, "press-1");
			assertThat((Double) cpu.get("percent")).isBetween(0.0, 100.0);
			assertThat((String) cpu.get("version")).endsWith(":StateStore");
		}
	}

	@Test
	void changesTheSetPoint() {
		try (ConfigurableApplicationContext sample = run("--sample.set-point=70")) {
			awaitMachine(sample, sample.getBean(SampleProperties.class).name());
			assertThat(state(sample)).containsEntry("setPoint", 70.0);
			client(sample).put()
				.uri("/set-point")
				.contentType(MediaType.APPLICATION_JSON)
				.body("42.5")
				.retrieve()
				.toBodilessEntity();
			assertThat(state(sample)).containsEntry("setPoint", 42.5);
		}
	}

	@Test
	void twoSamplesOnOneBrokerSeeEachOther() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				ConfigurableApplicationContext first = run("--sample.name=press-1", external(), port(broker));
				ConfigurableApplicationContext second = run("--sample.name=press-2", external(), port(broker))) {
			awaitMachine(first, "press-2");
			awaitMachine(second, "press-1");
		}
	}

	@Test
	void goesOnAfterARestartOfTheBroker() {
		StateStoreBroker broker = StateStoreBroker.builder().start();
		try (ConfigurableApplicationContext sample = run("--sample.name=press-1", external(), port(broker))) {
			awaitMachine(sample, "press-1");
			broker.close();
			broker = StateStoreBroker.builder().port(broker.port()).start();
			awaitMachine(sample, "press-1");
			assertThat(state(sample)).containsEntry("setPoint", 80.0);
		}
		finally {
			broker.close();
		}
	}

	private static ConfigurableApplicationContext run(String... arguments) {
		return new SpringApplicationBuilder(SampleApplication.class)
			.properties("server.port=0", "statestore.request-timeout=5s")
			.run(arguments);
	}

	private static String external() {
		return "--statestore.embedded.enabled=false";
	}

	private static String port(StateStoreBroker broker) {
		return "--statestore.port=" + broker.port();
	}

	private static Map<?, ?> awaitMachine(ConfigurableApplicationContext sample, String machine) {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.ignoreExceptions()
			.until(() -> (Map<?, ?>) machines(sample).get(machine).get("cpu"), (cpu) -> cpu != null);
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Map<String, Object>> machines(ConfigurableApplicationContext sample) {
		return (Map<String, Map<String, Object>>) state(sample).get("machines");
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> state(ConfigurableApplicationContext sample) {
		return client(sample).get().retrieve().body(Map.class);
	}

	private static RestClient client(ConfigurableApplicationContext sample) {
		return RestClient.create("http://localhost:" + sample.getEnvironment().getProperty("local.server.port"));
	}

}
