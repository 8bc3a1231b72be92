package io.statestore.boot.dafka;

import io.statestore.dafka.spring.DafkaListenerRegistry;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for Dafka's health indicator. */
@AutoConfiguration(after = DafkaAutoConfiguration.class)
@ConditionalOnClass({ DafkaListenerRegistry.class, HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(DafkaListenerRegistry.class)
@ConditionalOnEnabledHealthIndicator("dafka")
public final class DafkaHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "dafkaHealthIndicator", "dafkaHealthContributor" })
	DafkaHealthIndicator dafkaHealthIndicator(ConfigurableListableBeanFactory beanFactory,
			DafkaListenerRegistry listeners) {
		return new DafkaHealthIndicator(new StartedBeans(beanFactory), listeners);
	}

}
