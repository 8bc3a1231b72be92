package io.statestore.boot;

import io.statestore.client.lock.StateStoreLockProvider;
import io.statestore.client.lock.StateStoreLockRegistry;
import net.javacrumbs.shedlock.core.LockProvider;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for a {@link LockProvider} if ShedLock is on the class path and the
 * application defines no provider.
 */
@AutoConfiguration(after = StateStoreLockAutoConfiguration.class)
@ConditionalOnClass({ LockProvider.class, StateStoreLockRegistry.class })
@ConditionalOnSingleCandidate(StateStoreLockRegistry.class)
@EnableConfigurationProperties(StateStoreShedLockProperties.class)
public final class StateStoreShedLockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockProvider.class)
	StateStoreLockProvider stateStoreLockProvider(StateStoreLockRegistry registry,
			StateStoreShedLockProperties properties) {
		StateStoreLockProvider provider = new StateStoreLockProvider(registry);
		return properties.keepAlive() ? provider.withKeepAlive() : provider;
	}

}
