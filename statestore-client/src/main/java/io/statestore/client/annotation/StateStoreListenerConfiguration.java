package io.statestore.client.annotation;

import java.time.Duration;

import io.statestore.client.StateStoreOperations;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.validation.Validator;

/** What {@link EnableStateStoreListeners} brings. */
@Configuration(proxyBeanMethods = false)
class StateStoreListenerConfiguration {

	private static final Duration START_TIMEOUT = Duration.ofSeconds(10);

	@Bean
	static StateStoreListenerAnnotationBeanPostProcessor stateStoreListenerAnnotationBeanPostProcessor(
			ObjectProvider<StateStoreListenerRegistry> registry, ObjectProvider<Validator> validator) {
		return new StateStoreListenerAnnotationBeanPostProcessor(registry::getObject, validator::getIfUnique);
	}

	@Bean
	static StateStoreListenerRegistry stateStoreListenerRegistry(ObjectProvider<StateStoreOperations> operations) {
		return new StateStoreListenerRegistry(operations::getObject, START_TIMEOUT);
	}

}
