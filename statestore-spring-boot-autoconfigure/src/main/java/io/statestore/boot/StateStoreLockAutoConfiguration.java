package io.statestore.boot;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.StateStoreConnection;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;

/** Auto-configuration of the locks in the state store. */
@AutoConfiguration(after = StateStoreAutoConfiguration.class)
@ConditionalOnSingleCandidate(StateStoreTemplate.class)
@EnableConfigurationProperties(StateStoreLockProperties.class)
public final class StateStoreLockAutoConfiguration {

	/** A fallback: who has another lock registry goes on using it. */
	@Bean
	@ConditionalOnMissingBean
	@Fallback
	StateStoreLockRegistry stateStoreLockRegistry(StateStoreTemplate template, StateStoreLockProperties properties,
			ObjectProvider<StateStoreConnection> connection) {
		StateStoreConnection unique = connection.getIfUnique();
		return new StateStoreLockRegistry(template, properties.options((unique != null) ? unique.getClientId() : null));
	}

}
