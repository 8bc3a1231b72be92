package io.statestore.boot;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Objects;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Entry;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.Transport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedStateStoreAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.embedded.enabled=true")
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class));

	@ParameterizedTest
	@ValueSource(strings = { "statestore.service-account-token-file", "statestore.username" })
	void ignoresLoginOfOtherBroker(String property) {
		this.contextRunner
			.withPropertyValues("statestore.embedded.enabled=true", "statestore.start-timeout=20s",
					property + "=/var/run/secrets/token")
			.run((context) -> assertThat(context.getBean(StateStoreConnection.class).isConnected()).isTrue());
	}

	@Test
	void isOptIn() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(EmbeddedStateStoreAutoConfiguration.class))
			.run((context) -> assertThat(context).doesNotHaveBean(StateStoreBroker.class));
	}

	@Test
	void storesAndReadsBack() {
		this.contextRunner.run((context) -> {
			StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
			template.set("ovens/1", new Oven(180, "on"));
			assertThat(template.get("ovens/1", Oven.class)).map(Entry::value).contains(new Oven(180, "on"));
		});
	}

	@Test
	void storesAndReadsBackWithHiveMqClient() {
		this.contextRunner.withPropertyValues("statestore.transport=hivemq").run((context) -> {
			assertThat(context.getBean(StateStoreConnection.class).options().transport()).isEqualTo(Transport.HIVEMQ);
			StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
			template.set("ovens/1", new Oven(180, "on"));
			assertThat(template.get("ovens/1", Oven.class)).map(Entry::value).contains(new Oven(180, "on"));
		});
	}

	@Test
	void takesPrecedenceOverHostProperty() {
		this.contextRunner.withPropertyValues("statestore.host=broker.factory.example", "statestore.port=8883")
			.run((context) -> {
				int port = context.getBean(StateStoreBroker.class).port();
				assertThat(context.getBean(StateStoreConnection.class).options().url())
					.isEqualTo("mqtt://localhost:" + port);
			});
	}

	@Test
	void worksAfterStopAndStart() {
		this.contextRunner.run((context) -> {
			StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
			template.set("key", "value");
			context.stop();
			context.start();
			assertThat(template.get("key", String.class)).map(Entry::value).contains("value");
		});
	}

	@Test
	void namesMissingDependency() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(StateStoreBroker.class)).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new MissingEmbeddedBrokerFailureAnalyzer()
				.analyze(Objects.requireNonNull(context.getStartupFailure()));
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains("statestore.embedded.enabled");
			assertThat(analysis.getAction()).contains("io.statestore:statestore-broker");
		});
	}

	@Test
	void namesPortInUse() throws Exception {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
			this.contextRunner.withPropertyValues("statestore.embedded.port=" + taken.getLocalPort())
				.run((context) -> assertThat(context.getStartupFailure())
					.hasStackTraceContaining(String.valueOf(taken.getLocalPort())));
		}
	}

	record Oven(double celsius, String state) {
	}

}
