package io.statestore.boot.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.boot.StateStoreLeaderAutoConfiguration;
import io.statestore.boot.StateStoreLockAutoConfiguration;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the state store client's meters. Finds beans by type in the bean
 * factory, because the beans for a second broker are not default candidates.
 */
@AutoConfiguration(
		after = { StateStoreAutoConfiguration.class, StateStoreLeaderAutoConfiguration.class,
				StateStoreLockAutoConfiguration.class },
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass({ StateStoreConnection.class, MeterRegistry.class })
@ConditionalOnBean(MeterRegistry.class)
public final class StateStoreMetricsAutoConfiguration {

	@Bean
	@ConditionalOnBean(StateStoreConnection.class)
	@ConditionalOnMissingBean
	ConnectionMetrics stateStoreConnectionMetrics(ListableBeanFactory beanFactory) {
		return new ConnectionMetrics(beanFactory.getBeansOfType(StateStoreConnection.class));
	}

	@Bean
	@ConditionalOnBean(KeyWatches.class)
	@ConditionalOnMissingBean
	ChangeMetrics stateStoreChangeMetrics(ListableBeanFactory beanFactory) {
		return new ChangeMetrics(beanFactory.getBeansOfType(KeyWatches.class));
	}

	@Bean
	@ConditionalOnBean(StateStoreLockRegistry.class)
	@ConditionalOnMissingBean
	LockMetrics stateStoreLockMetrics(ListableBeanFactory beanFactory) {
		return new LockMetrics(beanFactory.getBeansOfType(StateStoreLockRegistry.class));
	}

	@Bean
	@ConditionalOnBean(StateStoreLeaderInitiator.class)
	@ConditionalOnMissingBean
	LeaderMetrics stateStoreLeaderMetrics(ListableBeanFactory beanFactory) {
		return new LeaderMetrics(beanFactory.getBeansOfType(StateStoreLeaderInitiator.class).values());
	}

}
