package io.statestore.boot;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.Key;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.annotation.StateStoreListenerRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Beans of the application with listener methods, and beans that listeners use. */
@Timeout(120)
class ListenerBeansTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class));

	private final ApplicationContextRunner embedded = this.contextRunner
		.withPropertyValues("statestore.embedded.enabled=true", "statestore.start-timeout=50s");

	private static int closedPort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	@Test
	void usesApplicationRegistry() {
		this.embedded.withUserConfiguration(OwnRegistry.class).withBean(OvenListener.class).run((context) -> {
			assertThat(context).hasSingleBean(StateStoreListenerRegistry.class).hasBean("ownRegistry");
			assertThat(context.getBean(StateStoreListenerRegistry.class).ids()).containsExactly("oven");
			context.getBean(StateStoreOperations.class).set("ovens/1", "on");
			assertThat(context.getBean(OvenListener.class).changes.poll(10, TimeUnit.SECONDS)).isEqualTo("on");
		});
	}

	@Test
	void soleErrorHandlerIsDefault() {
		BlockingQueue<String> failures = new LinkedBlockingQueue<>();
		this.embedded.withBean(FailingListener.class)
			.withBean(KeyChangeErrorHandler.class, () -> (id, change, failure) -> failures.add(id))
			.run((context) -> {
				context.getBean(StateStoreOperations.class).set("ovens/1", "on");
				assertThat(failures.poll(10, TimeUnit.SECONDS)).isEqualTo("failing");
			});
	}

	@Test
	void selectsErrorHandlerByName() {
		BlockingQueue<String> failures = new LinkedBlockingQueue<>();
		this.embedded.withBean(FailingListener.class)
			.withBean("one", KeyChangeErrorHandler.class, () -> (id, change, failure) -> failures.add("one"))
			.withBean("other", KeyChangeErrorHandler.class, () -> (id, change, failure) -> failures.add("other"))
			.run((context) -> {
				context.getBean(StateStoreOperations.class).set("ovens/1", "on");
				FailingListener listener = context.getBean(FailingListener.class);
				assertThat(listener.calls.poll(10, TimeUnit.SECONDS)).isEqualTo("on");
				context.getBean(StateStoreListenerRegistry.class).stop("failing");
				assertThat(failures).isEmpty();
			});
	}

	@Test
	void startsWithinStartTimeoutWithoutBroker() throws Exception {
		long begin = System.nanoTime();
		this.contextRunner.withPropertyValues("statestore.port=" + closedPort(), "statestore.start-timeout=500ms")
			.withBean(OvenListener.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofMillis(500),
						Duration.ofSeconds(10));
			});
	}

	@Test
	void prototypeDoesNotWaitForBroker() throws Exception {
		this.contextRunner.withPropertyValues("statestore.port=" + closedPort(), "statestore.start-timeout=0s")
			.withUserConfiguration(OwnRegistry.class, Prototypes.class)
			.run((context) -> {
				long begin = System.nanoTime();
				assertThat(context.getBean(PrototypeListener.class)).isNotNull();
				assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(OwnRegistry.TIMEOUT);
			});
	}

	@Test
	void unregistersCollectedPrototype() {
		this.embedded.withUserConfiguration(Prototypes.class).run((context) -> {
			StateStoreListenerRegistry registry = context.getBean(StateStoreListenerRegistry.class);
			ObjectProvider<PrototypeListener> provider = context.getBeanProvider(PrototypeListener.class);
			PrototypeListener kept = provider.getObject();
			for (int i = 0; i < 5; i++) {
				provider.getObject();
			}
			await().until(() -> {
				System.gc();
				return registry.ids().size() == 1;
			});
			context.getBean(StateStoreOperations.class).set("ovens/1", "on");
			assertThat(kept.changes.poll(10, TimeUnit.SECONDS)).isEqualTo("on");
		});
	}

	@Test
	void unregistersDestroyedBean() {
		this.embedded.withUserConfiguration(Prototypes.class).run((context) -> {
			StateStoreListenerRegistry registry = context.getBean(StateStoreListenerRegistry.class);
			PrototypeListener listener = context.getBean(PrototypeListener.class);
			assertThat(registry.ids()).hasSize(1);
			context.getBeanFactory().destroyBean(listener);
			assertThat(registry.ids()).isEmpty();
			assertThat(context.getBean(PrototypeListener.class)).isNotSameAs(listener);
			assertThat(registry.ids()).containsExactly("prototypeListener.changed");
		});
	}

	@Test
	void listensWithLazyInitialization() throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Lazy.class)
			.web(WebApplicationType.NONE)
			.properties("statestore.embedded.enabled=true", "statestore.start-timeout=50s")
			.lazyInitialization(true)
			.run()) {
			context.getBean(StateStoreOperations.class).set("ovens/1", "on");
			assertThat(Lazy.changes.poll(10, TimeUnit.SECONDS)).isEqualTo("on");
			assertThat(context.getBeanFactory().containsSingleton("unrelated")).isFalse();
		}
	}

	@Test
	void registersListenersFromBackgroundThreads() {
		this.embedded.withUserConfiguration(Background.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(StateStoreListenerRegistry.class).ids()).hasSize(Background.COUNT);
		});
	}

	@Test
	void watchesPatternInKeys() {
		this.embedded.withBean(PatternListener.class).run((context) -> {
			assertThat(context).hasNotFailed();
			StateStoreOperations operations = context.getBean(StateStoreOperations.class);
			operations.set("machines/1/pressure", "low");
			operations.set("machines/1/temperature", "hot");
			assertThat(context.getBean(PatternListener.class).changes.poll(10, TimeUnit.SECONDS))
				.isEqualTo("machines/1/temperature=hot");
		});
	}

	static class OvenListener {

		final BlockingQueue<String> changes = new LinkedBlockingQueue<>();

		@StateStoreListener(id = "oven", keys = "ovens/1")
		void changed(String state) {
			this.changes.add(state);
		}

	}

	static class FailingListener {

		final BlockingQueue<String> calls = new LinkedBlockingQueue<>();

		@StateStoreListener(id = "failing", keys = "ovens/1")
		void changed(String state) {
			this.calls.add(state);
			throw new IllegalStateException("bad luck");
		}

	}

	static class PatternListener {

		final BlockingQueue<String> changes = new LinkedBlockingQueue<>();

		@StateStoreListener(keys = "machines/*/temperature")
		void changed(Key key, String state) {
			this.changes.add(key + "=" + state);
		}

	}

	static class PrototypeListener {

		final BlockingQueue<String> changes = new LinkedBlockingQueue<>();

		@StateStoreListener(keys = "ovens/1")
		void changed(String state) {
			this.changes.add(state);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Prototypes {

		@Bean
		@Scope(BeanDefinition.SCOPE_PROTOTYPE)
		PrototypeListener prototypeListener() {
			return new PrototypeListener();
		}

	}

	static class StoppedListener {

		@StateStoreListener(keys = "ovens/1", autoStartup = "false")
		void changed(String state) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Background {

		static final int COUNT = 400;

		@Bean
		static BeanDefinitionRegistryPostProcessor listeners() {
			return (registry) -> IntStream.range(0, COUNT).forEach((i) -> {
				RootBeanDefinition listener = new RootBeanDefinition(StoppedListener.class);
				listener.setBackgroundInit(true);
				registry.registerBeanDefinition("listener" + i, listener);
			});
		}

		@Bean
		SimpleAsyncTaskExecutor bootstrapExecutor() {
			return new SimpleAsyncTaskExecutor("bootstrap-");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnRegistry {

		static final Duration TIMEOUT = Duration.ofSeconds(20);

		@Bean
		StateStoreListenerRegistry ownRegistry(ObjectProvider<StateStoreOperations> operations) {
			return new StateStoreListenerRegistry(operations::getObject, TIMEOUT);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class })
	static class Lazy {

		static final BlockingQueue<String> changes = new LinkedBlockingQueue<>();

		@Bean
		LazyListener lazyListener() {
			return new LazyListener();
		}

		@Bean
		Object unrelated() {
			return new Object();
		}

	}

	static class LazyListener {

		@StateStoreListener(keys = "ovens/1")
		void changed(String state) {
			Lazy.changes.add(state);
		}

	}

}
