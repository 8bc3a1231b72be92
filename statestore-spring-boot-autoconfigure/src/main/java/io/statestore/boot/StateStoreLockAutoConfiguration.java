package io.statestore.boot;

import io.statestore.boot.internal.OptionProperties;
import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.KeyWatcher;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.ValueConverter;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.lock.annotation.LockedAnnotationBeanPostProcessor;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.observability.StateStoreObservability;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;

/** Auto-configuration for locks in the state store. */
@AutoConfiguration(after = StateStoreAutoConfiguration.class)
@ConditionalOnClass(StateStoreTemplate.class)
@EnableConfigurationProperties({ StateStoreLockProperties.class, StateStoreProperties.class })
public final class StateStoreLockAutoConfiguration {

	/** Present even without a registry, so that annotated methods fail at startup. */
	@Bean
	@ConditionalOnMissingBean
	static LockedAnnotationBeanPostProcessor stateStoreLockedAnnotationBeanPostProcessor() {
		return new LockedAnnotationBeanPostProcessor();
	}

	/**
	 * Fallback: any other lock registry in the application takes precedence. Uses a
	 * separate template, so that locks work in tests that mock the operations.
	 */
	@Bean
	@ConditionalOnBean(value = CommandInvoker.class, name = StateStoreAutoConfiguration.OBSERVER)
	@ConditionalOnMissingBean
	@Fallback
	StateStoreLockRegistry stateStoreLockRegistry(
			@Qualifier(StateStoreAutoConfiguration.INVOKER) ObjectProvider<CommandInvoker> invoker,
			ObjectProvider<ValueConverter> converter,
			@Qualifier(StateStoreAutoConfiguration.OBSERVER) KeyWatcher watcher, StateStoreLockProperties properties,
			StateStoreProperties clientProperties, ObjectProvider<StateStoreObservability> observability,
			@Qualifier(StateStoreAutoConfiguration.CONNECTION) ObjectProvider<StateStoreConnection> connection,
			@Qualifier(StateStoreAutoConfiguration.RESOURCES) ObjectProvider<ClientResources> resources) {
		StateStoreConnection available = connection.getIfAvailable();
		StateStoreTemplate template = observability.getIfAvailable(() -> StateStoreObservability.NONE)
			.observe(new StateStoreTemplate(invoker.getIfAvailable(connection::getObject), converter.getIfUnique(),
					watcher));
		StateStoreTemplate prefixed = OptionProperties.create("statestore.",
				() -> template.withKeyPrefix(clientProperties.keyPrefix()));
		return new StateStoreLockRegistry(prefixed,
				properties.options((available != null) ? available.getClientId() : null),
				resources.getIfAvailable(ClientResources::new));
	}

}
