package io.statestore.boot.observation;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.boot.StateStoreLockAutoConfiguration;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.observability.StateStoreCallObservationConvention;
import io.statestore.client.observability.StateStoreListenerObservationConvention;
import io.statestore.client.observability.StateStoreObservability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class StateStoreObservationAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.embedded.enabled=true", "statestore.embedded.port=0",
				"statestore.start-timeout=50s")
		.withUserConfiguration(Metrics.class)
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, ObservationAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreObservationAutoConfiguration.class,
				StateStoreAutoConfiguration.class, StateStoreLockAutoConfiguration.class));

	@Test
	void timesCallsAndListeners() {
		this.contextRunner.withUserConfiguration(Listener.class).run((context) -> {
			SimpleMeterRegistry meters = context.getBean(SimpleMeterRegistry.class);
			StateStoreOperations operations = context.getBean(StateStoreOperations.class);
			operations.set("key", "1");
			// Before the key is deleted: a listener that begins later would miss its
			// value.
			await()
				.until(() -> meters.find("statestore.listener").timers().stream().mapToLong(Timer::count).sum() == 1);
			context.getBean(StateStoreAsyncOperations.class).get("key", String.class).join();
			FencedLock lock = context.getBean(StateStoreLockRegistry.class).obtain("lock");
			lock.lock();
			lock.operations().delete("key");
			lock.unlock();
			assertThat(meters.get("statestore.call").timers())
				.extracting((timer) -> timer.getId().getTag("db.operation.name"))
				.containsExactlyInAnyOrder("SET", "GET", "DEL");
			assertThat(meters.get("statestore.call").timers()).allSatisfy((timer) -> {
				assertThat(timer.count()).isEqualTo(1);
				assertThat(timer.getId().getTag("outcome")).isEqualTo("success");
				assertThat(timer.getId().getTag("server.port")).matches("\\d+");
			});
			assertThat(context.getBean(Listener.class).received).containsExactly("1");
			assertThat(meters.get("statestore.call.active").longTaskTimers()).isNotEmpty()
				.allSatisfy((timer) -> assertThat(timer.activeTasks()).isZero());
		});
	}

	@Test
	void propertyDisablesObservations() {
		this.contextRunner.withPropertyValues("management.observations.enable.statestore=false").run((context) -> {
			context.getBean(StateStoreOperations.class).set("key", "1");
			assertThat(context.getBean(SimpleMeterRegistry.class).find("statestore.call").timers()).isEmpty();
		});
	}

	@Test
	void conventionBeansReplaceDefaults() {
		this.contextRunner.withUserConfiguration(Conventions.class).run((context) -> {
			context.getBean(StateStoreOperations.class).set("key", "1");
			assertThat(context.getBean(SimpleMeterRegistry.class).find("custom.call").timers()).hasSize(1);
			assertThat(context.getBean(StateStoreObservability.class).listeners())
				.isSameAs(context.getBean(CustomListenerConvention.class));
		});
	}

	@Test
	void observesNothingWithoutRegistry() {
		new ApplicationContextRunner().withPropertyValues("statestore.start-timeout=0s", "statestore.port=1")
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class,
					StateStoreObservationAutoConfiguration.class, StateStoreAutoConfiguration.class))
			.run((context) -> assertThat(context.getBean(StateStoreObservability.class).registry())
				.isSameAs(ObservationRegistry.NOOP));
	}

	@Configuration(proxyBeanMethods = false)
	static class Metrics {

		@Bean
		SimpleMeterRegistry meterRegistry() {
			return new SimpleMeterRegistry();
		}

		@Bean
		DefaultMeterObservationHandler meterObservationHandler(SimpleMeterRegistry registry) {
			return new DefaultMeterObservationHandler(registry);
		}

	}

	static class Listener {

		private final List<String> received = new CopyOnWriteArrayList<>();

		@StateStoreListener(keys = "key", operations = Operation.SET)
		void changed(String value) {
			this.received.add(value);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Conventions {

		@Bean
		StateStoreCallObservationConvention callConvention() {
			return new StateStoreCallObservationConvention() {

				@Override
				public String getName() {
					return "custom.call";
				}

			};
		}

		@Bean
		CustomListenerConvention listenerConvention() {
			return new CustomListenerConvention();
		}

	}

	static class CustomListenerConvention implements StateStoreListenerObservationConvention {

	}

}
