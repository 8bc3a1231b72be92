package io.statestore.boot;

import java.time.Duration;
import java.util.UUID;

import io.statestore.client.leader.LeaderOnlyAnnotationBeanPostProcessor;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;

/**
 * Auto-configuration of the leader election. The lock of the leader is there as soon as
 * the application names its role, the election where it is enabled.
 */
@AutoConfiguration(after = StateStoreLockAutoConfiguration.class)
@EnableConfigurationProperties(StateStoreLeaderProperties.class)
public final class StateStoreLeaderAutoConfiguration {

	static final String LOCK = "stateStoreLeaderLock";

	/** Also without an election, so that an annotated method never runs unasked. */
	@Bean
	@ConditionalOnMissingBean
	static LeaderOnlyAnnotationBeanPostProcessor stateStoreLeaderOnlyAnnotationBeanPostProcessor() {
		return new LeaderOnlyAnnotationBeanPostProcessor();
	}

	@Bean(LOCK)
	@Conditional(OnLeader.class)
	@ConditionalOnMissingBean(name = LOCK)
	FencedLock stateStoreLeaderLock(StateStoreLockRegistry registry, StateStoreLeaderProperties properties,
			Environment environment) {
		String role = properties.role(environment);
		Duration lease = properties.getLease();
		try {
			return (lease != null) ? registry.obtain(role, lease) : registry.obtain(role);
		}
		catch (IllegalArgumentException ex) {
			throw OptionFailures.namingTheProperty("statestore.leader.", ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("statestore.leader.enabled")
	static class ElectionConfiguration {

		@Bean
		@ConditionalOnMissingBean
		Candidate stateStoreLeaderCandidate(StateStoreLeaderProperties properties, Environment environment) {
			return new DefaultCandidate(UUID.randomUUID().toString(), properties.role(environment));
		}

		@Bean
		@ConditionalOnMissingBean
		StateStoreLeaderInitiator stateStoreLeaderInitiator(@Qualifier(LOCK) FencedLock lock, Candidate candidate,
				StateStoreLeaderProperties properties, Environment environment) {
			String role = properties.role(environment);
			if (!role.equals(candidate.getRole())) {
				throw new InvalidConfigurationPropertyValueException("statestore.leader.role", role,
						"The role of the Candidate bean (%s) is '%s'. Make both the same."
							.formatted(candidate.getClass().getName(), candidate.getRole()));
			}
			return new StateStoreLeaderInitiator(lock, candidate);
		}

	}

	static class OnLeader extends AnyNestedCondition {

		OnLeader() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnBooleanProperty("statestore.leader.enabled")
		static class Enabled {

		}

		@ConditionalOnProperty("statestore.leader.role")
		static class RoleGiven {

		}

	}

}
