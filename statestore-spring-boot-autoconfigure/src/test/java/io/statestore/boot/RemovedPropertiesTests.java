package io.statestore.boot;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Applications that set properties of an earlier version. */
@ExtendWith(OutputCaptureExtension.class)
@Isolated("captures the log")
class RemovedPropertiesTests {

	@ParameterizedTest
	@CsvSource({ "statestore.when-disconnected=fail, Set 'statestore.disconnected-behavior' instead",
			"statestore.transport=paho, Remove the property",
			"statestore.embedded.cluster.start=join, Set 'statestore.embedded.cluster.initial-state' instead",
			"statestore.cache.allowed-packages=com.example, Set 'statestore.cache.caches.<name>.value-type'",
			"statestore.max-pending-size=8MB, ConnectionOptionsBuilderCustomizer",
			"statestore.embedded.token.jwks-file=keys.json, StateStoreBrokerBuilderCustomizer",
			"dafka.linger=1s, DafkaNodeBuilderCustomizer", "dafka.curve.towers[0]=other, DafkaNodeBuilderCustomizer",
			"dafka.producer.bind-port=7, DafkaProducerBuilderCustomizer",
			"dafka.consumer.max-size=1MB, DafkaConsumerBuilderCustomizer",
			"dafka.consumer.heads-interval=1s, Set 'dafka.consumer.partition-discovery-interval' instead",
			"dafka.listener.max-batch=7, DafkaListenerOptions",
			"dafka.store.skip-timeout=10m, DafkaStoreBuilderCustomizer",
			"dafka.embedded.host=localhost, DafkaTowerBuilderCustomizer" })
	void reportsWhatToUseInstead(String property, String hint, CapturedOutput output) {
		SpringApplicationBuilder application = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE);
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> application.run("--" + property));
		assertThat(output).contains("APPLICATION FAILED TO START", property.split("\\W*[=\\[]")[0], hint);
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

	}

}
