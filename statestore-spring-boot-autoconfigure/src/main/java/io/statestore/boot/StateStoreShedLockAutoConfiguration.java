package io.statestore.boot;

import io.statestore.client.lock.StateStoreLockProvider;
import io.statestore.client.lock.StateStoreLockRegistry;
import net.javacrumbs.shedlock.core.LockProvider;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of a {@link LockProvider} for ShedLock, where that is on the class
 * path and the application has none of its own.
 */
@AutoConfiguration(after = StateStoreLockAutoConfiguration.class)
@ConditionalOnClass(LockProvider.class)
@ConditionalOnSingleCandidate(StateStoreLockRegistry.class)
public final class StateStoreShedLockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockProvider.class)
	StateStoreLockProvider stateStoreLockProvider(StateStoreLockRegistry registry) {
		return new StateStoreLockProvider(registry);
	}

}
