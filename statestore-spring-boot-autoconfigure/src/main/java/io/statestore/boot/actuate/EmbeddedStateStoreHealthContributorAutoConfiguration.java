package io.statestore.boot.actuate;

import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.broker.StateStoreBroker;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for the embedded broker's health indicator. */
@AutoConfiguration(after = EmbeddedStateStoreAutoConfiguration.class)
@ConditionalOnClass({ StateStoreBroker.class, HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnSingleCandidate(StateStoreBroker.class)
@ConditionalOnEnabledHealthIndicator("embedded-state-store")
public final class EmbeddedStateStoreHealthContributorAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "embeddedStateStoreHealthIndicator", "embeddedStateStoreHealthContributor" })
	EmbeddedStateStoreHealthIndicator embeddedStateStoreHealthIndicator(StateStoreBroker broker) {
		return new EmbeddedStateStoreHealthIndicator(broker);
	}

}
