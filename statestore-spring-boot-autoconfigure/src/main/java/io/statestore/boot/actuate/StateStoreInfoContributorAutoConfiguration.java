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
 * Auto-configuration for the {@code statestore} info contributor. Disabled by default,
 * like Spring Boot's contributors that describe the environment, because many
 * applications publish the info endpoint without authentication.
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
