package io.statestore.boot;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.statestore.boot.dafka.DafkaConsumerBuilderCustomizer;
import io.statestore.boot.dafka.DafkaNodeBuilderCustomizer;
import io.statestore.boot.dafka.DafkaProducerBuilderCustomizer;
import io.statestore.boot.dafka.DafkaStoreBuilderCustomizer;
import io.statestore.boot.dafka.DafkaTowerBuilderCustomizer;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Fails the startup of an application that sets a removed property, which would otherwise
 * be ignored silently. The message says what to use instead.
 */
class RemovedPropertiesEnvironmentPostProcessor implements EnvironmentPostProcessor, Ordered {

	private static final Map<String, String> REASONS = reasons();

	private static Map<String, String> reasons() {
		Map<String, String> reasons = new HashMap<>();
		rename(reasons, "statestore.when-disconnected", "statestore.disconnected-behavior");
		rename(reasons, "statestore.embedded.directory", "statestore.embedded.data-directory");
		rename(reasons, "statestore.embedded.certificate-name", "statestore.embedded.certificate-username-field");
		rename(reasons, "statestore.embedded.cluster.start", "statestore.embedded.cluster.initial-state");
		reasons.put("statestore.cache.allowed-packages",
				"Values are no longer serialized. Set 'statestore.cache.caches.<name>.value-type' to store them as JSON, "
						+ "or use a StateStoreCacheManagerBuilderCustomizer with a ValueConverter of your own");
		reasons.put("statestore.transport",
				"The client has one transport, which is built on Netty. Remove the property");
		customize(reasons, ConnectionOptionsBuilderCustomizer.class, "statestore.max-pending-size",
				"statestore.reconnect.initial-delay");
		customize(reasons, StateStoreBrokerBuilderCustomizer.class, "statestore.embedded.administration",
				"statestore.embedded.client-memory", "statestore.embedded.fsync-interval",
				"statestore.embedded.max-connect-size", "statestore.embedded.max-connections-per-address",
				"statestore.embedded.max-connections-per-principal", "statestore.embedded.max-keys-per-principal",
				"statestore.embedded.max-packet-size", "statestore.embedded.max-properties-size",
				"statestore.embedded.max-requests-per-principal", "statestore.embedded.max-session-expiry",
				"statestore.embedded.memory-per-client", "statestore.embedded.reply-memory",
				"statestore.embedded.token.audience", "statestore.embedded.token.issuer",
				"statestore.embedded.token.jwks-file", "statestore.embedded.wire-form");
		rename(reasons, "dafka.consumer.heads-interval", "dafka.consumer.partition-discovery-interval");
		customize(reasons, DafkaNodeBuilderCustomizer.class, "dafka.beacon-interval", "dafka.connection-timeout",
				"dafka.curve.towers", "dafka.high-water-mark", "dafka.linger", "dafka.max-message-size",
				"dafka.peer-timeout", "dafka.socket-buffer", "dafka.stall-timeout");
		customize(reasons, DafkaProducerBuilderCustomizer.class, "dafka.producer.bind-port",
				"dafka.producer.close-timeout", "dafka.producer.head-interval", "dafka.producer.max-block",
				"dafka.producer.memory");
		customize(reasons, DafkaConsumerBuilderCustomizer.class, "dafka.consumer.max-partitions",
				"dafka.consumer.max-records", "dafka.consumer.max-size", "dafka.consumer.skip-timeout");
		customize(reasons, DafkaStoreBuilderCustomizer.class, "dafka.store.bind-port", "dafka.store.max-partitions",
				"dafka.store.skip-timeout");
		customize(reasons, DafkaTowerBuilderCustomizer.class, "dafka.embedded.host", "dafka.embedded.in-port",
				"dafka.embedded.out-port");
		for (String option : List.of("auto-startup", "commit-interval", "max-batch", "stop-timeout")) {
			reasons.put("dafka.listener." + option,
					"It was removed. Define a bean of type DafkaListenerOptions instead");
		}
		return Map.copyOf(reasons);
	}

	private static void rename(Map<String, String> reasons, String property, String replacement) {
		reasons.put(property, "It was renamed. Set '" + replacement + "' instead");
	}

	private static void customize(Map<String, String> reasons, Class<?> customizer, String... properties) {
		Arrays.asList(properties)
			.forEach((property) -> reasons.put(property, "It was removed. Define a bean of type "
					+ customizer.getSimpleName() + " instead, which sets the option of the builder"));
	}

	@Override
	public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
		REASONS.forEach((name, reason) -> {
			ConfigurationProperty property = ListProperties.find(environment, name);
			if (property != null) {
				throw new InvalidConfigurationPropertyValueException(name, property.getValue(), reason);
			}
		});
	}

	/** Runs after the configuration files have been read. */
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

}
