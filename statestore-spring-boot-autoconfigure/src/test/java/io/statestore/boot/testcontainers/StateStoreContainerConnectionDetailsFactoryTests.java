package io.statestore.boot.testcontainers;

import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.boot.StateStoreConnectionDetails;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** {@link ServiceConnection @ServiceConnection} on methods. */
class StateStoreContainerConnectionDetailsFactoryTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.start-timeout=1ms", "statestore.embedded.enabled=true")
		.withConfiguration(
				AutoConfigurations.of(ServiceConnectionAutoConfiguration.class, JacksonAutoConfiguration.class,
						EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class));

	@Test
	void acceptsContainerWithConnectionName() {
		this.contextRunner.withUserConfiguration(Named.class).run((context) -> {
			StateStoreConnectionDetails details = context.getBean(StateStoreConnectionDetails.class);
			assertThat(details.getHost()).isEqualTo("localhost");
			assertThat(details.getPort()).isEqualTo(21883);
			assertThat(details.getUsername()).isNull();
			assertThat(details.getPassword()).isNull();
			assertThat(details.getSslBundle()).isNull();
		});
	}

	@Test
	void ignoresContainerWithoutConnectionName() {
		this.contextRunner.withUserConfiguration(Unnamed.class)
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("No ConnectionDetails found"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Named {

		@Bean
		@ServiceConnection("statestore")
		StubbedContainer broker() {
			return new StubbedContainer("eclipse-mosquitto:2", () -> 21883);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Unnamed {

		@Bean
		@ServiceConnection
		StubbedContainer broker() {
			return new StubbedContainer("eclipse-mosquitto:2", () -> 21883);
		}

	}

}
