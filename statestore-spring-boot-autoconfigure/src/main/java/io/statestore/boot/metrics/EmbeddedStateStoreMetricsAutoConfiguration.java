package io.statestore.boot.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.broker.StateStoreBroker;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for the embedded broker's meters. */
@AutoConfiguration(after = EmbeddedStateStoreAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass({ StateStoreBroker.class, MeterBinder.class })
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnSingleCandidate(StateStoreBroker.class)
public final class EmbeddedStateStoreMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	EmbeddedBrokerMetrics embeddedStateStoreBrokerMetrics(StateStoreBroker broker) {
		return new EmbeddedBrokerMetrics(broker);
	}

	@Bean
	@ConditionalOnMissingBean
	EmbeddedClusterMetrics embeddedStateStoreClusterMetrics(StateStoreBroker broker) {
		return new EmbeddedClusterMetrics(broker);
	}

	@Bean
	@ConditionalOnMissingBean
	EmbeddedLogMetrics embeddedStateStoreLogMetrics(StateStoreBroker broker) {
		return new EmbeddedLogMetrics(broker);
	}

}
