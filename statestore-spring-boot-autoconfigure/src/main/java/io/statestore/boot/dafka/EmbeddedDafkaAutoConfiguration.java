package io.statestore.boot.dafka;

import java.util.List;

import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.tower.Tower;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for a tower embedded in the application. Takes precedence over
 * {@code dafka.towers}, so that a test needs only one property to avoid the production
 * towers.
 */
@AutoConfiguration(before = DafkaAutoConfiguration.class)
@ConditionalOnClass(Tower.class)
@ConditionalOnBooleanProperty("dafka.embedded.enabled")
@ConditionalOnMissingBean(DafkaConnectionDetails.class)
@EnableConfigurationProperties(DafkaProperties.class)
public final class EmbeddedDafkaAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(EmbeddedDafkaAutoConfiguration.class);

	@Bean(destroyMethod = "close")
	@ConditionalOnMissingBean
	Tower dafkaTower(DafkaProperties properties, Environment environment,
			ObjectProvider<DafkaTowerBuilderCustomizer> customizers) {
		if (environment.containsProperty("dafka.towers")) {
			logger.info("dafka.towers={} is ignored: dafka.embedded.enabled=true starts an embedded tower",
					properties.towers());
		}
		Tower.Builder builder = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0);
		DafkaOptions.curve(properties.curve(), builder::curve);
		customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
		Tower tower = builder.start();
		logger.info("Embedded Dafka tower at {}", tower.address());
		return tower;
	}

	@Bean
	DafkaConnectionDetails embeddedDafkaConnectionDetails(Tower tower) {
		List<TowerAddress> towers = List.of(tower.address());
		return () -> towers;
	}

}
