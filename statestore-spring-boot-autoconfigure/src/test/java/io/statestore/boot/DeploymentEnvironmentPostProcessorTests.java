package io.statestore.boot;

import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DeploymentEnvironmentPostProcessorTests {

	@Test
	void doesNothingOutsideDeployment() {
		MockEnvironment environment = new MockEnvironment().withProperty("AIO_BROKER_TCP_PORT", "18883");
		process(environment);
		assertThat(environment.containsProperty("statestore.port")).isFalse();
	}

	@Test
	void usesTlsByDefault() {
		MockEnvironment environment = new MockEnvironment().withProperty("AIO_BROKER_HOSTNAME", "aio-broker")
			.withProperty("AIO_BROKER_TCP_PORT", "18883")
			.withProperty("AIO_MQTT_CLIENT_ID", "press-1")
			.withProperty("AIO_MQTT_USERNAME", "anna")
			.withProperty("AIO_MQTT_PASSWORD_FILE", "/secrets/password")
			.withProperty("AIO_MQTT_KEEP_ALIVE", "20")
			.withProperty("AIO_TLS_CA_FILE", "/certs/ca.crt")
			.withProperty("AIO_SAT_FILE", "/tokens/sat");
		process(environment);
		assertThat(environment.getProperty("statestore.host")).isEqualTo("aio-broker");
		assertThat(environment.getProperty("statestore.port")).isEqualTo("18883");
		assertThat(environment.getProperty("statestore.client-id")).isEqualTo("press-1");
		assertThat(environment.getProperty("statestore.username")).isEqualTo("anna");
		assertThat(environment.getProperty("statestore.password-file")).isEqualTo("/secrets/password");
		assertThat(environment.getProperty("statestore.keep-alive")).isEqualTo("20s");
		assertThat(environment.getProperty("statestore.service-account-token-file")).isEqualTo("/tokens/sat");
		assertThat(environment.getProperty("statestore.ssl.bundle")).isEqualTo("statestore-deployment");
		assertThat(environment.getProperty("spring.ssl.bundle.pem.statestore-deployment.truststore.certificate"))
			.isEqualTo("file:/certs/ca.crt");
	}

	@Test
	void disablesTlsIfDeploymentDoes() {
		MockEnvironment environment = new MockEnvironment().withProperty("AIO_BROKER_HOSTNAME", "aio-broker")
			.withProperty("AIO_MQTT_USE_TLS", "false");
		process(environment);
		assertThat(environment.containsProperty("statestore.ssl.enabled")).isFalse();
	}

	@Test
	void prefersApplicationProperties() {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.addLast(new MapPropertySource("application",
					Map.of("AIO_BROKER_HOSTNAME", "aio-broker", "statestore.host", "mine")));
		new DeploymentEnvironmentPostProcessor().postProcessEnvironment(environment, new SpringApplication());
		assertThat(environment.getProperty("statestore.host")).isEqualTo("mine");
	}

	@Test
	void prefersApplicationHosts() {
		for (String property : new String[] { "statestore.hosts", "statestore.hosts[0]" }) {
			MockEnvironment environment = new MockEnvironment().withProperty("AIO_BROKER_HOSTNAME", "aio-broker")
				.withProperty("AIO_BROKER_TCP_PORT", "18883")
				.withProperty(property, "mine");
			process(environment);
			assertThat(environment.containsProperty("statestore.host")).isFalse();
			assertThat(environment.containsProperty("statestore.port")).isFalse();
		}
		MockEnvironment blank = new MockEnvironment().withProperty("AIO_BROKER_HOSTNAME", "aio-broker")
			.withProperty("statestore.hosts", "");
		process(blank);
		assertThat(blank.getProperty("statestore.host")).isEqualTo("aio-broker");
	}

	@Test
	void namesUnreadableFile() {
		MockEnvironment environment = new MockEnvironment().withProperty("AIO_BROKER_HOSTNAME", "aio-broker")
			.withProperty("AIO_TLS_KEY_PASSWORD_FILE", "/nowhere/password");
		assertThatThrownBy(() -> process(environment)).hasMessageContaining("/nowhere/password");
	}

	@Test
	void prefersApplicationPassword() {
		MockEnvironment environment = new MockEnvironment().withProperty("AIO_BROKER_HOSTNAME", "aio-broker")
			.withProperty("AIO_MQTT_PASSWORD_FILE", "/secrets/password")
			.withProperty("statestore.password", "mine");
		process(environment);
		assertThat(environment.containsProperty("statestore.password-file")).isFalse();
	}

	private static void process(MockEnvironment environment) {
		new DeploymentEnvironmentPostProcessor().postProcessEnvironment(environment, new SpringApplication());
	}

}
