package io.statestore.boot;

import java.util.UUID;
import java.util.concurrent.Executor;

import io.statestore.boot.internal.PropertyChecks;
import io.statestore.client.leader.LeaderOnlyAnnotationBeanPostProcessor;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.time.TimeSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;

/**
 * Auto-configuration for the application's lock and for leader election with this lock.
 * The lock is always available; a property enables the election.
 */
@AutoConfiguration(after = StateStoreLockAutoConfiguration.class)
@ConditionalOnClass(StateStoreLockRegistry.class)
@EnableConfigurationProperties(StateStoreLeaderProperties.class)
public final class StateStoreLeaderAutoConfiguration {

	static final String LOCK = "distributedLock";

	StateStoreLeaderAutoConfiguration(StateStoreLeaderProperties properties) {
		properties.validate();
	}

	/** Present even without an election, so that annotated methods fail at startup. */
	@Bean
	@ConditionalOnMissingBean
	static LeaderOnlyAnnotationBeanPostProcessor stateStoreLeaderOnlyAnnotationBeanPostProcessor() {
		return new LeaderOnlyAnnotationBeanPostProcessor();
	}

	/**
	 * Fallback: any lock that the application defines takes precedence. Lazy, because an
	 * application that does not use the lock need not have a name.
	 */
	@Bean(LOCK)
	@ConditionalOnBean(StateStoreLockRegistry.class)
	@ConditionalOnMissingBean(name = LOCK)
	@Fallback
	@Lazy
	FencedLock distributedLock(StateStoreLockRegistry registry, StateStoreLeaderProperties properties,
			Environment environment) {
		return properties.lock(registry, environment);
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
		StateStoreLeaderInitiator stateStoreLeaderInitiator(StateStoreLockRegistry registry, Candidate candidate,
				StateStoreLeaderProperties properties, Environment environment, ObjectProvider<TimeSource> time) {
			String role = properties.role(environment);
			PropertyChecks.require(role.equals(candidate.getRole()), "statestore.leader.role", role,
					"It must be the role of the Candidate bean (%s), which is '%s'."
						.formatted(candidate.getClass().getName(), candidate.getRole()));
			StateStoreLeaderInitiator initiator = new StateStoreLeaderInitiator(properties.lock(registry, environment),
					candidate, time.getIfUnique(() -> TimeSource.SYSTEM));
			initiator.setTaskExecutor(threads(environment));
			return initiator;
		}

		private static Executor threads(Environment environment) {
			SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("statestore-leader-");
			threads.setVirtualThreads(Threading.VIRTUAL.isActive(environment));
			threads.setDaemon(true);
			return threads;
		}

	}

}
