package io.statestore.boot.actuate;

import java.util.TreeMap;

import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.client.mqtt.StateStoreConnection;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.CompositeHealthContributorConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the {@code statestore} health contributor: an indicator, or a
 * composite with an indicator for each connection.
 * <p>
 * By default, it is not part of the readiness group, as Spring Boot recommends for shared
 * external systems: a broker outage would take all instances out of service
 * simultaneously, although they may be able to work without it. Applications that cannot
 * should include it with {@code management.endpoint.health.group.readiness.include}.
 */
@AutoConfiguration(after = StateStoreAutoConfiguration.class)
@ConditionalOnClass({ StateStoreConnection.class, HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(StateStoreConnection.class)
@ConditionalOnEnabledHealthIndicator("statestore")
@EnableConfigurationProperties(StateStoreHealthProperties.class)
public final class StateStoreHealthContributorAutoConfiguration
		extends CompositeHealthContributorConfiguration<StateStoreHealthIndicator, StateStoreConnection> {

	StateStoreHealthContributorAutoConfiguration(StateStoreHealthProperties properties) {
		super((connection) -> new StateStoreHealthIndicator(connection, properties.requireTimeout()));
	}

	@Bean
	@ConditionalOnMissingBean(name = { "statestoreHealthIndicator", "statestoreHealthContributor" })
	HealthContributor statestoreHealthContributor(ListableBeanFactory beanFactory) {
		return createContributor(new TreeMap<>(beanFactory.getBeansOfType(StateStoreConnection.class)));
	}

}
