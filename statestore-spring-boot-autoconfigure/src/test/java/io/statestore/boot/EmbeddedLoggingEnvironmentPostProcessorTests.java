package io.statestore.boot;

import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedLoggingEnvironmentPostProcessorTests {

	private static final String AUDIT = "logging.level.org.apache.activemq.audit";

	@Test
	void disablesAuditLogOfEmbeddedBroker() {
		MockEnvironment environment = new MockEnvironment().withProperty("statestore.embedded.enabled", "true");
		process(environment);
		assertThat(environment.getProperty(AUDIT)).isEqualTo("OFF");
		assertThat(environment.getProperty("logging.level.com.alipay.sofa.jraft")).isEqualTo("ERROR");
	}

	@Test
	void prefersLevelsOfApplication() {
		MockEnvironment environment = new MockEnvironment().withProperty("statestore.embedded.enabled", "true")
			.withProperty(AUDIT, "INFO");
		process(environment);
		assertThat(environment.getProperty(AUDIT)).isEqualTo("INFO");
	}

	@Test
	void doesNothingWithoutEmbeddedBroker() {
		MockEnvironment environment = new MockEnvironment();
		process(environment);
		assertThat(environment.containsProperty(AUDIT)).isFalse();
	}

	private static void process(MockEnvironment environment) {
		new EmbeddedLoggingEnvironmentPostProcessor().postProcessEnvironment(environment, new SpringApplication());
	}

}
