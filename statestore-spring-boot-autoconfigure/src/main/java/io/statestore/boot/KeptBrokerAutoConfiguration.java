package io.statestore.boot;

import io.statestore.broker.StateStoreBroker;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.devtools.restart.ConditionalOnInitializedRestarter;
import org.springframework.boot.devtools.restart.Restarter;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration that closes the embedded broker of the previous application after a
 * restart by Spring Boot DevTools, unless this application continues to use it. Applies
 * even without an embedded broker in this application.
 */
@AutoConfiguration
@ConditionalOnClass({ Restarter.class, StateStoreBroker.class })
@ConditionalOnInitializedRestarter
public final class KeptBrokerAutoConfiguration {

	@Bean
	static UnusedBrokerCloser unusedStateStoreBrokerCloser() {
		return new UnusedBrokerCloser();
	}

	/** Closes the broker before any bean is created that could need its port. */
	static class UnusedBrokerCloser implements BeanFactoryPostProcessor {

		@Override
		public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
			if (!beanFactory.containsBean(EmbeddedStateStoreAutoConfiguration.KEPT_BROKER)) {
				KeptBroker.discard();
			}
		}

	}

}
