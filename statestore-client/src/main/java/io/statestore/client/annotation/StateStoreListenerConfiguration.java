package io.statestore.client.annotation;

import java.time.Duration;

import io.statestore.client.StateStoreOperations;
import io.statestore.listener.ListenerBeanPostProcessor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;

/** Configuration imported by {@link EnableStateStoreListeners}. */
@Configuration(proxyBeanMethods = false)
class StateStoreListenerConfiguration {

	private static final Duration START_TIMEOUT = Duration.ofSeconds(3);

	/**
	 * Name of the operations bean that watches the keys if there are several such beans.
	 */
	private static final String TEMPLATE = "stateStoreTemplate";

	@Bean
	static ListenerBeanPostProcessor<StateStoreListener, StateStoreListenerEndpoint> stateStoreListenerPostProcessor(
			ObjectProvider<StateStoreListenerRegistry> registry, ConfigurableBeanFactory beanFactory) {
		return new ListenerBeanPostProcessor<>(StateStoreListener.class, registry::getObject, beanFactory);
	}

	/**
	 * Creates the default registry, which a registry bean of the application replaces.
	 */
	@Bean
	@Fallback
	static StateStoreListenerRegistry stateStoreListenerRegistry(ObjectProvider<StateStoreOperations> operations,
			BeanFactory beanFactory) {
		return new StateStoreListenerRegistry(() -> beanFactory.containsBean(TEMPLATE)
				? beanFactory.getBean(TEMPLATE, StateStoreOperations.class) : operations.getObject(), START_TIMEOUT);
	}

}
