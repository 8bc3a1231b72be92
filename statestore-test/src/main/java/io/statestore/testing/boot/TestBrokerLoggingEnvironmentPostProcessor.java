package io.statestore.testing.boot;

import java.util.Map;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Reduces the default log levels of the broker in tests, because its audit log writes
 * several lines per connection. {@code logging.level.*} properties of the application
 * take precedence.
 */
class TestBrokerLoggingEnvironmentPostProcessor implements EnvironmentPostProcessor {

	@Override
	public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
		environment.getPropertySources()
			.addLast(new MapPropertySource("stateStoreTestLogging", Map.of("logging.level.org.apache.activemq.audit",
					"OFF", "logging.level.org.apache.activemq.artemis", "WARN")));
	}

}
