package io.statestore.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.broker.StateStoreBroker;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the meters of the embedded broker. */
@AutoConfiguration(after = EmbeddedStateStoreAutoConfiguration.class)
@ConditionalOnClass({ StateStoreBroker.class, MeterBinder.class })
@ConditionalOnSingleCandidate(StateStoreBroker.class)
public final class EmbeddedStateStoreMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	EmbeddedStateStoreMetrics embeddedStateStoreMetrics(StateStoreBroker broker) {
		return new EmbeddedStateStoreMetrics(broker);
	}

	@Bean
	@ConditionalOnMissingBean
	EmbeddedStateStoreRecoveryMetrics embeddedStateStoreRecoveryMetrics(ObjectProvider<MeterRegistry> registry) {
		return new EmbeddedStateStoreRecoveryMetrics(registry);
	}

}
