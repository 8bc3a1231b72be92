package io.statestore.boot;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.statestore.client.StateStoreException;
import io.statestore.client.lock.StateStoreLockProvider;
import io.statestore.client.lock.StateStoreLockRegistry;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class StateStoreShedLockAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.embedded.enabled=true")
		.withConfiguration(
				AutoConfigurations.of(EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class,
						StateStoreLockAutoConfiguration.class, StateStoreShedLockAutoConfiguration.class));

	@Test
	void locksScheduledTasks() {
		this.contextRunner.withUserConfiguration(Scheduling.class)
			.run((context) -> assertThat(context.getBean(Task.class).run()).isEqualTo("locked"));
	}

	@Test
	void keepsLocksAliveOnRequest() {
		this.contextRunner.run((context) -> assertThat(mayBeShort(context)).isTrue());
		this.contextRunner.withPropertyValues("statestore.shedlock.keep-alive=true")
			.run((context) -> assertThat(mayBeShort(context)).isFalse());
	}

	/** Returns whether a lock may be shorter than the minimum for locks kept alive. */
	private static boolean mayBeShort(ApplicationContext context) {
		LockProvider provider = context.getBean(LockProvider.class);
		try {
			provider.lock(new LockConfiguration(Instant.now(), "short", Duration.ofMillis(99), Duration.ZERO));
			return true;
		}
		catch (StateStoreException ex) {
			// There was no reply within this time.
			return true;
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	@Test
	void backsOffForLockProviderBean() {
		this.contextRunner.withBean(LockProvider.class, () -> (configuration) -> Optional.empty())
			.run((context) -> assertThat(context).hasSingleBean(LockProvider.class)
				.doesNotHaveBean(StateStoreLockProvider.class));
	}

	@Test
	void backsOffWithoutLockRegistry() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(StateStoreShedLockAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockProvider.class));
	}

	@Test
	void backsOffWithoutShedLock() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("net.javacrumbs.shedlock"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(StateStoreLockRegistry.class)
				.doesNotHaveBean("stateStoreLockProvider"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableSchedulerLock(defaultLockAtMostFor = "1m")
	static class Scheduling {

		@Bean
		Task task() {
			return new Task();
		}

	}

	static class Task {

		@SchedulerLock(name = "task")
		public String run() {
			LockAssert.assertLocked();
			return "locked";
		}

	}

}
