package io.statestore.boot.actuate;

import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.client.mqtt.StateStoreConnection;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for the {@link StateStoreEndpoint}. */
@AutoConfiguration(after = StateStoreAutoConfiguration.class)
@ConditionalOnClass({ StateStoreConnection.class, Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean(StateStoreConnection.class)
@ConditionalOnAvailableEndpoint(StateStoreEndpoint.class)
public final class StateStoreEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	StateStoreEndpoint stateStoreEndpoint(ListableBeanFactory beanFactory) {
		return new StateStoreEndpoint(beanFactory);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(StateStoreEndpoint.class)
	StateStoreEndpointWebExtension stateStoreEndpointWebExtension(StateStoreEndpoint endpoint) {
		return new StateStoreEndpointWebExtension(endpoint);
	}

}
