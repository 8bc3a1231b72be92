package io.statestore.sample;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import io.statestore.broker.StateStoreBroker;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.util.StringUtils;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class SampleApplicationTests {

	/** Replaces the directory in the home directory of the user. */
	private final Path directory;

	SampleApplicationTests(@TempDir Path directory) {
		this.directory = directory;
	}

	@Test
	void measuresThisMachineWithEmbeddedBroker() {
		try (ConfigurableApplicationContext sample = run("--sample.name=press-1")) {
			JsonNode cpu = awaitMachine(sample, "press-1");
			assertThat(cpu.path("percent").asDouble(-1)).isBetween(0.0, 100.0);
			assertThat(cpu.path("version").asString()).endsWith(":StateStore");
		}
	}

	@Test
	void keepsSetPointAcrossRestart() {
		try (ConfigurableApplicationContext sample = run("--sample.set-point=70")) {
			awaitSetPoint(sample, 70);
			changeSetPoint(sample, "42.5");
			awaitSetPoint(sample, 42.5);
		}
		try (ConfigurableApplicationContext sample = run("--sample.set-point=70")) {
			awaitMachine(sample, sample.getBean(SampleProperties.class).name());
			awaitSetPoint(sample, 42.5);
		}
	}

	@Test
	void logsDirectoryFirst(CapturedOutput output) {
		run("--spring.main.banner-mode=off").close();
		// Applications that other tests share may log meanwhile.
		assertThat(output.toString()).containsSubsequence("The data is in " + this.directory.toAbsolutePath(),
				"Starting ");
	}

	@Test
	void keepsDataInStateDirectoryOfUser() {
		new ApplicationContextRunner().withInitializer(new ConfigDataApplicationContextInitializer())
			.withPropertyValues("XDG_STATE_HOME=/state")
			.run((context) -> assertThat(context.getEnvironment().getProperty("statestore.embedded.directory"))
				.isEqualTo("/state/statestore-sample"));
	}

	@Test
	void instancesShareReadingsSetPointAndLeader() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				ConfigurableApplicationContext first = run("--sample.name=press-1", external(), port(broker));
				ConfigurableApplicationContext second = run("--sample.name=press-2", external(), port(broker))) {
			awaitMachine(first, "press-2");
			awaitMachine(second, "press-1");
			changeSetPoint(first, "33");
			awaitSetPoint(second, 33);
			Awaitility.await().until(() -> isLeader(first) != isLeader(second));
			ConfigurableApplicationContext successor = isLeader(first) ? second : first;
			((successor == first) ? second : first).close();
			Awaitility.await().until(() -> isLeader(successor));
		}
	}

	private ConfigurableApplicationContext run(String... arguments) {
		SpringApplication sample = SampleApplication.create();
		sample.setDefaultProperties(Map.of("server.port", 0, "statestore.request-timeout", "5s"));
		return sample.run(StringUtils.addStringToArray(arguments, "--statestore.embedded.directory=" + this.directory));
	}

	private static String external() {
		return "--statestore.embedded.enabled=false";
	}

	private static String port(StateStoreBroker broker) {
		return "--statestore.port=" + broker.port();
	}

	private static JsonNode awaitMachine(ConfigurableApplicationContext sample, String machine) {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.ignoreExceptionsInstanceOf(RestClientException.class)
			.until(() -> state(sample).path("machines").path(machine).path("cpu"), JsonNode::isObject);
	}

	private static void changeSetPoint(ConfigurableApplicationContext sample, String percent) {
		client(sample).put()
			.uri("/set-point")
			.contentType(MediaType.APPLICATION_JSON)
			.body(percent)
			.retrieve()
			.toBodilessEntity();
	}

	private static void awaitSetPoint(ConfigurableApplicationContext sample, double percent) {
		Awaitility.await().until(() -> state(sample).path("setPoint").asDouble(), (actual) -> actual == percent);
	}

	private static boolean isLeader(ConfigurableApplicationContext sample) {
		return state(sample).path("leader").asBoolean();
	}

	private static JsonNode state(ConfigurableApplicationContext sample) {
		return Objects.requireNonNull(client(sample).get().retrieve().body(JsonNode.class));
	}

	private static RestClient client(ConfigurableApplicationContext sample) {
		return RestClient.create("http://localhost:" + sample.getEnvironment().getProperty("local.server.port"));
	}

}
