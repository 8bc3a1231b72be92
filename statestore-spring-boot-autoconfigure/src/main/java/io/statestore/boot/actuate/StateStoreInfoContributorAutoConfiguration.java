package io.statestore.boot.actuate;

import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.client.mqtt.StateStoreConnection;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.autoconfigure.info.InfoContributorFallback;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the info contributor {@code statestore}. Disabled by default,
 * like those of Spring Boot that describe the environment: many applications publish the
 * info endpoint without authentication.
 */
@AutoConfiguration(after = StateStoreAutoConfiguration.class)
@ConditionalOnClass({ StateStoreConnection.class, InfoContributor.class, ConditionalOnEnabledInfoContributor.class })
@ConditionalOnBean(StateStoreConnection.class)
@ConditionalOnEnabledInfoContributor(value = "statestore", fallback = InfoContributorFallback.DISABLE)
public final class StateStoreInfoContributorAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	StateStoreInfoContributor stateStoreInfoContributor(ListableBeanFactory beanFactory) {
		return new StateStoreInfoContributor(beanFactory.getBeansOfType(StateStoreConnection.class),
				beanFactory.containsBean("embeddedStateStoreConnectionDetails"));
	}

}
