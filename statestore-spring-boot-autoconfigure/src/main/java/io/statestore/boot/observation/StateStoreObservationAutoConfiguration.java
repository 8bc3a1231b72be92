package io.statestore.boot.observation;

import io.micrometer.observation.ObservationRegistry;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.observability.StateStoreCallObservationConvention;
import io.statestore.client.observability.StateStoreListenerObservationConvention;
import io.statestore.client.observability.StateStoreObservability;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for Micrometer observations of calls and listeners. Uses the
 * {@link ObservationRegistry} bean, and convention beans if there are any.
 */
@AutoConfiguration(before = StateStoreAutoConfiguration.class)
@ConditionalOnClass(StateStoreTemplate.class)
public final class StateStoreObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	StateStoreObservability stateStoreObservability(ObjectProvider<ObservationRegistry> registry,
			ObjectProvider<StateStoreCallObservationConvention> calls,
			ObjectProvider<StateStoreListenerObservationConvention> listeners) {
		return new StateStoreObservability(registry.getIfAvailable(() -> ObservationRegistry.NOOP),
				calls.getIfAvailable(), listeners.getIfAvailable());
	}

}
