package io.statestore.boot;

import java.time.Duration;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.KeyWatcher;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.lock.UnfencedWrites;
import io.statestore.client.lock.annotation.Locked;
import io.statestore.listener.AnnotatedMethodException;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class StateStoreLockAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.embedded.enabled=true")
		.withConfiguration(AutoConfigurations.of(EmbeddedStateStoreAutoConfiguration.class,
				StateStoreAutoConfiguration.class, StateStoreLockAutoConfiguration.class));

	@Test
	void refusesLockedMethodWithoutRegistry() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(StateStoreLockAutoConfiguration.class))
			.withBean(LockedBean.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(AnnotatedMethodException.class)
				.hasMessageContaining("requires a unique StateStoreLockRegistry bean"));
	}

	@Test
	void providesRegistryForSpringIntegration() {
		this.contextRunner.withPropertyValues("statestore.client-id=press-1").run((context) -> {
			assertThat(context).hasSingleBean(LockRegistry.class).doesNotHaveBean(DistributedLock.class);
			FencedLock lock = context.getBean(StateStoreLockRegistry.class).obtain("oven");
			lock.lock();
			assertThat(lock.isValid()).isTrue();
			assertThat(lock.holder().orElseThrow()).startsWith("press-1/");
			assertThat(lock.remaining()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30));
			lock.unlock();
		});
	}

	@Test
	void appliesProperties() {
		this.contextRunner
			.withPropertyValues("statestore.lock.lease=1h", "statestore.lock.key-prefix=locks/",
					"statestore.lock.holder-name=anna", "statestore.lock.interrupt-holder=true")
			.run((context) -> {
				FencedLock lock = context.getBean(StateStoreLockRegistry.class).obtain("oven");
				assertThat(lock.key()).hasToString("locks/oven");
				lock.lock();
				assertThat(lock.remaining()).isGreaterThan(Duration.ofMinutes(50));
				assertThat(context.getBean(StateStoreOperations.class)
					.get("locks/oven", String.class)
					.orElseThrow()
					.value()).startsWith("anna/");
				assertThat(context.getBean(StateStoreLockProperties.class).options("client").interruptHolder())
					.isTrue();
				lock.unlock();
			});
	}

	@Test
	void warnsAboutUnfencedWritesUnlessConfigured() {
		this.contextRunner.run((context) -> assertThat(unfencedWrites(context)).isEqualTo(UnfencedWrites.WARN));
		this.contextRunner.withPropertyValues("statestore.lock.unfenced-writes=refuse").run((context) -> {
			assertThat(unfencedWrites(context)).isEqualTo(UnfencedWrites.REFUSE);
			StateStoreTemplate template = context.getBean(StateStoreTemplate.class);
			StateStoreAsyncOperations async = context.getBean(StateStoreAsyncOperations.class);
			context.getBean(StateStoreLockRegistry.class).obtain("oven").execute((held) -> {
				assertThatIllegalStateException().isThrownBy(() -> template.set("setpoint", "180"));
				assertThatIllegalStateException().isThrownBy(() -> async.set("setpoint", "180"));
				return held.operations().set("setpoint", "190");
			});
		});
	}

	private static UnfencedWrites unfencedWrites(AssertableApplicationContext context) {
		return context.getBean(StateStoreLockProperties.class).options("client").unfencedWrites();
	}

	@Test
	void usesClientDefaults() {
		this.contextRunner.run((context) -> assertThat(context.getBean(StateStoreLockProperties.class).options(null))
			.isEqualTo(LockOptions.DEFAULT));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "lease | 10ms | 100 ms to 24 h", "lease | 2d | 100 ms to 24 h",
			"holder-name | ' ' | 1 to 256 characters" })
	void namesInvalidProperty(String property, String value, String hint) {
		this.contextRunner.withPropertyValues("statestore.lock." + property + "=" + value)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo("statestore.lock." + property);
					assertThat(failure.getReason()).contains(hint);
				}));
	}

	@Test
	void prefersApplicationLockRegistry() {
		this.contextRunner.withBean(DefaultLockRegistry.class)
			.run((context) -> assertThat(context.getBeanProvider(LockRegistry.class).getObject())
				.isInstanceOf(DefaultLockRegistry.class));
	}

	@Test
	void backsOffForApplicationRegistry() {
		StateStoreLockRegistry own = new StateStoreLockRegistry(new StateStoreTemplate((command, options) -> {
			throw new UnsupportedOperationException();
		}));
		this.contextRunner.withBean("own", StateStoreLockRegistry.class, () -> own)
			.run((context) -> assertThat(context).hasSingleBean(StateStoreLockRegistry.class).hasBean("own"));
	}

	@Test
	void requiresNoClientResourcesBean() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(StateStoreLockAutoConfiguration.class))
			.withBean("stateStoreCommandInvoker", CommandInvoker.class, () -> (command, options) -> {
				throw new UnsupportedOperationException();
			})
			.withBean("stateStoreKeyWatches", KeyWatcher.class,
					() -> ProxyFactory.getProxy(KeyWatcher.class,
							(MethodInterceptor) (invocation) -> invocation.getArguments()[0]))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(ClientResources.class)
				.hasSingleBean(StateStoreLockRegistry.class));
	}

	@Test
	void requiresNoTemplateBean() {
		StateStoreOperations own = ProxyFactory.getProxy(StateStoreOperations.class,
				(MethodInterceptor) (invocation) -> null);
		this.contextRunner.withBean("stateStoreTemplate", StateStoreOperations.class, () -> own).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(StateStoreTemplate.class);
			FencedLock lock = context.getBean(StateStoreLockRegistry.class).obtain("oven");
			lock.lock();
			assertThat(lock.isValid()).isTrue();
			lock.unlock();
		});
	}

	static class LockedBean {

		@Locked("lock")
		void run() {
		}

	}

}
