package io.statestore.boot;

import java.util.Map;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * The MQTT broker that the embedded state store lives in writes an audit log at INFO,
 * several lines a connection. Calms it by default where the embedded broker is asked for;
 * any {@code logging.level.*} of the application wins.
 */
class EmbeddedLoggingEnvironmentPostProcessor implements EnvironmentPostProcessor {

	@Override
	public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
		if (environment.getProperty("statestore.embedded.enabled", Boolean.class, false)) {
			environment.getPropertySources()
				.addLast(new MapPropertySource("stateStoreEmbeddedLogging",
						Map.of("logging.level.org.apache.activemq.audit", "OFF",
								"logging.level.org.apache.activemq.artemis", "WARN")));
		}
	}

}
