package io.statestore.boot.dafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/** Properties of earlier versions, which would otherwise be ignored silently. */
final class RemovedProperties {

	/** What replaces each property. */
	private static final Map<String, String> REPLACEMENTS = new HashMap<>();

	static {
		moved("dafka.", DafkaNodeBuilderCustomizer.class, "highWaterMark", "socketBuffer", "maxMessageSize",
				"beaconInterval", "peerTimeout", "stallTimeout", "connectionTimeout", "linger");
		moved("dafka.curve.towers", DafkaNodeBuilderCustomizer.class, "curve");
		moved("dafka.producer.", DafkaProducerBuilderCustomizer.class, "bindPort", "memory", "maxBlock", "closeTimeout",
				"headInterval");
		moved("dafka.consumer.", DafkaConsumerBuilderCustomizer.class, "maxRecords", "maxPartitions", "skipTimeout");
		moved("dafka.consumer.max-size", DafkaConsumerBuilderCustomizer.class, "maxBytes");
		moved("dafka.store.", DafkaStoreBuilderCustomizer.class, "bindPort", "maxPartitions", "skipTimeout");
		moved("dafka.embedded.", DafkaTowerBuilderCustomizer.class, "inPort", "outPort");
		moved("dafka.embedded.host", DafkaTowerBuilderCustomizer.class, "bindHost");
		for (String option : List.of("auto-startup", "max-batch", "commit-interval", "stop-timeout")) {
			REPLACEMENTS.put("dafka.listener." + option, "Define a DafkaListenerOptions bean");
		}
		REPLACEMENTS.put("dafka.consumer.heads-interval",
				"Set the property 'dafka.consumer.partition-discovery-interval'");
	}

	private RemovedProperties() {
	}

	/** Adds options, by the prefix of their properties or the name of a single one. */
	private static void moved(String name, Class<?> customizer, String... options) {
		for (String option : options) {
			REPLACEMENTS.put(name.endsWith(".") ? name + DataObjectPropertyName.toDashedForm(option) : name,
					"Define a " + customizer.getSimpleName() + " bean that calls '" + option + "'");
		}
	}

	/**
	 * Requires that no removed property is set.
	 * @throws InvalidConfigurationPropertyValueException if a removed property is set;
	 * the reason names its replacement
	 */
	static void refuse(Environment environment) {
		Binder binder = Binder.get(environment);
		REPLACEMENTS.forEach(
				(property, replacement) -> binder.bind(property, Bindable.listOf(String.class)).ifBound((value) -> {
					throw new InvalidConfigurationPropertyValueException(property, String.join(",", value),
							"This property was removed. " + replacement + " instead");
				}));
	}

}
