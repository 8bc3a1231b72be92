package io.statestore.boot;

import java.util.Map;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Reduces the default logging of the consensus if the embedded broker is enabled, because
 * the consensus logs each step of an election. The application's {@code logging.level.*}
 * properties take precedence.
 */
class EmbeddedLoggingEnvironmentPostProcessor implements EnvironmentPostProcessor {

	@Override
	public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
		if (environment.getProperty("statestore.embedded.enabled", Boolean.class, false)) {
			environment.getPropertySources()
				.addLast(new MapPropertySource("stateStoreEmbeddedLogging",
						Map.of("logging.level.com.alipay.sofa.jraft", "ERROR")));
		}
	}

}
