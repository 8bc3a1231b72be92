package io.statestore.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.StringUtils;

/**
 * Derives default {@code statestore.*} properties from the {@code AIO_*} environment
 * variables set by Azure IoT Operations deployments (protocol section 8). An application
 * deployed there therefore needs no configuration. Configured properties take precedence.
 * Does nothing unless {@code AIO_BROKER_HOSTNAME} is set.
 */
class DeploymentEnvironmentPostProcessor implements EnvironmentPostProcessor {

	private static final String BUNDLE = "statestore-deployment";

	private static final String PEM = "spring.ssl.bundle.pem." + BUNDLE;

	@Override
	public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
		if (!environment.containsProperty("AIO_BROKER_HOSTNAME")) {
			return;
		}
		Variables variables = new Variables(environment, new LinkedHashMap<>());
		ConfigurationProperty hosts = ListProperties.find(environment, "statestore.hosts");
		if (hosts == null || !StringUtils.hasText(hosts.getValue().toString())) {
			variables.map("AIO_BROKER_HOSTNAME", "statestore.host");
			variables.map("AIO_BROKER_TCP_PORT", "statestore.port");
		}
		variables.map("AIO_MQTT_CLIENT_ID", "statestore.client-id");
		variables.map("AIO_MQTT_USERNAME", "statestore.username");
		if (!environment.containsProperty("statestore.password")) {
			variables.map("AIO_MQTT_PASSWORD_FILE", "statestore.password-file");
		}
		variables.map("AIO_MQTT_KEEP_ALIVE", "statestore.keep-alive", (seconds) -> seconds + "s");
		variables.map("AIO_SAT_FILE", "statestore.service-account-token-file");
		if (environment.getProperty("AIO_MQTT_USE_TLS", Boolean.class, true)) {
			variables.put("statestore.ssl.enabled", "true");
			variables.map("AIO_TLS_CA_FILE", PEM + ".truststore.certificate", (file) -> "file:" + file);
			variables.map("AIO_TLS_CERT_FILE", PEM + ".keystore.certificate", (file) -> "file:" + file);
			variables.map("AIO_TLS_KEY_FILE", PEM + ".keystore.private-key", (file) -> "file:" + file);
			variables.map("AIO_TLS_KEY_PASSWORD_FILE", PEM + ".keystore.private-key-password",
					DeploymentEnvironmentPostProcessor::read);
			if (variables.properties().keySet().stream().anyMatch((name) -> name.startsWith(PEM))) {
				variables.put("statestore.ssl.bundle", BUNDLE);
			}
		}
		environment.getPropertySources()
			.addLast(new MapPropertySource("stateStoreDeployment", Map.copyOf(variables.properties())));
	}

	private static String read(String file) {
		try {
			return Files.readString(Path.of(file)).strip();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(
					"Cannot read the file '" + file
							+ "', the value of an AIO_* environment variable. Mount the file, or unset the variable",
					ex);
		}
	}

	private record Variables(ConfigurableEnvironment environment, Map<String, Object> properties) {

		void map(String variable, String property) {
			map(variable, property, UnaryOperator.identity());
		}

		void map(String variable, String property, UnaryOperator<String> conversion) {
			String value = this.environment.getProperty(variable);
			if (StringUtils.hasText(value)) {
				put(property, conversion.apply(value));
			}
		}

		void put(String property, String value) {
			this.properties.put(property, value);
		}

	}

}
