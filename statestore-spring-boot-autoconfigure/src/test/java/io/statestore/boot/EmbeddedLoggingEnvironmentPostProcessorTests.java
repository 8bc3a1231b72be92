package io.statestore.boot;

import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedLoggingEnvironmentPostProcessorTests {

	private static final String CONSENSUS = "logging.level.com.alipay.sofa.jraft";

	@Test
	void reducesConsensusLogLevel() {
		MockEnvironment environment = new MockEnvironment().withProperty("statestore.embedded.enabled", "true");
		process(environment);
		assertThat(environment.getProperty(CONSENSUS)).isEqualTo("ERROR");
	}

	@Test
	void prefersApplicationLogLevel() {
		MockEnvironment environment = new MockEnvironment().withProperty("statestore.embedded.enabled", "true")
			.withProperty(CONSENSUS, "INFO");
		process(environment);
		assertThat(environment.getProperty(CONSENSUS)).isEqualTo("INFO");
	}

	@Test
	void doesNothingWithoutEmbeddedBroker() {
		MockEnvironment environment = new MockEnvironment();
		process(environment);
		assertThat(environment.containsProperty(CONSENSUS)).isFalse();
	}

	private static void process(MockEnvironment environment) {
		new EmbeddedLoggingEnvironmentPostProcessor().postProcessEnvironment(environment, new SpringApplication());
	}

}
