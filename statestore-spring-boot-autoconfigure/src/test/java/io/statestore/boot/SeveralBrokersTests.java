package io.statestore.boot;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.statestore.boot.observation.StateStoreObservationAutoConfiguration;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.ClientResources;
import io.statestore.client.KeyWatcher;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.ValueConverter;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.BrokerAddress;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.client.watch.KeyWatches;
import io.statestore.client.watch.WatchOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two brokers in one application. Compiles and runs the snippets of
 * {@code docs/spring-boot.md}.
 */
@Timeout(120)
class SeveralBrokersTests {

	private final StateStoreBroker site = StateStoreBroker.builder().start();

	private final StateStoreBroker plant = StateStoreBroker.builder().start();

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.port=" + this.site.port(), "statestore.start-timeout=20s",
				"spring.application.name=line", "plant.port=" + this.plant.port())
		.withConfiguration(
				AutoConfigurations.of(JacksonAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class,
						StateStoreAutoConfiguration.class, StateStoreLockAutoConfiguration.class,
						StateStoreLeaderAutoConfiguration.class, StateStoreObservationAutoConfiguration.class))
		.withBean(ObservationRegistry.class, this::observationRegistry);

	private ObservationRegistry observationRegistry() {
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(this.meters));
		return registry;
	}

	@AfterEach
	void stop() {
		this.site.close();
		this.plant.close();
	}

	@Test
	void eachTemplateHasItsOwnBroker() {
		this.contextRunner.withUserConfiguration(PlantStoreConfiguration.class).withBean(Line.class).run((context) -> {
			assertThat(context).hasNotFailed();
			StateStoreOperations site = context.getBean("stateStoreTemplate", StateStoreOperations.class);
			StateStoreOperations plant = context.getBean("plantTemplate", StateStoreOperations.class);
			site.set("mode", "site");
			plant.set("mode", "plant");
			assertThat(site.get("mode", String.class).orElseThrow().value()).isEqualTo("site");
			assertThat(plant.get("mode", String.class).orElseThrow().value()).isEqualTo("plant");
			Line line = context.getBean(Line.class);
			assertThat(line.copyMode()).isEqualTo("plant");
			assertThat(line.modes.poll(10, TimeUnit.SECONDS)).isEqualTo("plant");
			assertThat(line.setpoints).isEmpty();
			site.set("setpoint", 180);
			assertThat(line.setpoints.poll(10, TimeUnit.SECONDS)).isEqualTo(180);
			plant.set("setpoint", 90);
			site.set("setpoint", 181);
			assertThat(line.setpoints.poll(10, TimeUnit.SECONDS)).isEqualTo(181);
		});
	}

	@Test
	void observesCallsAndListenersOfSecondBroker() {
		this.contextRunner.withUserConfiguration(PlantStoreConfiguration.class).withBean(Line.class).run((context) -> {
			context.getBean("plantTemplate", StateStoreOperations.class).set("mode", "plant");
			assertThat(this.meters.find("statestore.call").tag("server.port", "" + this.plant.port()).timers())
				.hasSize(1);
			await("the listener").until(() -> !this.meters.find("statestore.listener").timers().isEmpty());
		});
	}

	@Test
	void locksOnTwoBrokersAreIndependent() {
		this.contextRunner.withUserConfiguration(PlantStoreConfiguration.class, LockUser.class).run((context) -> {
			assertThat(context.getBean(FencedLock.class).key()).hasToString("locks/line");
			StateStoreLockRegistry ours = context.getBean(LockUser.class).registry();
			assertThat(ours).isSameAs(context.getBean("stateStoreLockRegistry"));
			FencedLock site = ours.obtain("press");
			FencedLock plant = context.getBean("plantLocks", StateStoreLockRegistry.class).obtain("press");
			site.lock();
			assertThat(plant.tryLock()).isTrue();
			plant.unlock();
			site.unlock();
		});
	}

	@Test
	void secondConnectionKeepsTemplate() {
		this.contextRunner
			.withBean("plainConnection", StateStoreConnection.class,
					() -> new StateStoreConnection(
							ConnectionOptions.builder().host("localhost").port(this.plant.port()).build()))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean("stateStoreConnection", StateStoreConnection.class).options().hosts())
					.containsExactly(new BrokerAddress("localhost", this.site.port()));
				context.getBean(StateStoreTemplate.class).set("mode", "site");
				try (StateStoreConnectionProbe probe = new StateStoreConnectionProbe(this.plant)) {
					assertThat(probe.get("mode")).isNull();
				}
			});
	}

	@Test
	void secondTemplateKeepsListeners() {
		this.contextRunner.withUserConfiguration(PlainTemplates.class).withBean(Line.class).run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean("stateStoreTemplate", StateStoreTemplate.class).set("setpoint", 180);
			assertThat(context.getBean(Line.class).setpoints.poll(10, TimeUnit.SECONDS)).isEqualTo(180);
		});
	}

	@Test
	void namesMissingTemplate() {
		this.contextRunner.withBean(Lost.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContainingAll("Lost.changed", "'template' 'nowhere'", "StateStoreOperations"));
	}

	/** Client of the second broker, independent of the application. */
	private static final class StateStoreConnectionProbe implements AutoCloseable {

		private final StateStoreConnection connection;

		private final StateStoreTemplate template;

		StateStoreConnectionProbe(StateStoreBroker broker) {
			this.connection = new StateStoreConnection(
					ConnectionOptions.builder().host(broker.host()).port(broker.port()).build());
			this.connection.start();
			this.template = new StateStoreTemplate(this.connection);
		}

		@Nullable String get(String key) {
			return this.template.get(key, String.class).map((entry) -> entry.value()).orElse(null);
		}

		@Override
		public void close() {
			this.connection.stop();
		}

	}

	record LockUser(StateStoreLockRegistry registry) {
	}

	static class Lost {

		@StateStoreListener(keys = "mode", template = "nowhere")
		void changed(String mode) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PlainTemplates {

		@Bean
		StateStoreConnection plainConnection(@Value("${plant.port}") int port) {
			return new StateStoreConnection(ConnectionOptions.builder().host("localhost").port(port).build());
		}

		@Bean
		KeyWatches plainWatches(@Qualifier("plainConnection") StateStoreConnection connection) {
			return new KeyWatches(connection);
		}

		@Bean
		StateStoreTemplate plantTemplate(@Qualifier("plainConnection") StateStoreConnection connection,
				@Qualifier("plainWatches") KeyWatcher watcher) {
			return new StateStoreTemplate(connection, null, watcher);
		}

		@Bean
		@Qualifier("plant")
		StateStoreOperations qualified(@Qualifier("plantTemplate") StateStoreTemplate template) {
			return template;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PlantStoreConfiguration {

		@Bean(defaultCandidate = false)
		@Qualifier("plant")
		StateStoreConnection plantConnection(@Value("${plant.host:localhost}") String host,
				@Value("${plant.port}") int port, ClientResources resources) {
			return new StateStoreConnection(ConnectionOptions.builder().host(host).port(port).build(), resources);
		}

		@Bean(defaultCandidate = false)
		@Qualifier("plant")
		KeyWatches plantWatches(@Qualifier("plant") StateStoreConnection connection,
				StateStoreObservability observability, ClientResources resources) {
			return new KeyWatches(connection, WatchOptions.DEFAULT, null, observability, resources);
		}

		@Bean(defaultCandidate = false)
		@Qualifier("plant")
		StateStoreTemplate plantTemplate(@Qualifier("plant") StateStoreConnection connection, ValueConverter converter,
				@Qualifier("plant") KeyWatcher watcher, StateStoreObservability observability) {
			return observability.observe(new StateStoreTemplate(connection, converter, watcher));
		}

		@Bean(defaultCandidate = false)
		@Qualifier("plant")
		StateStoreLockRegistry plantLocks(@Qualifier("plant") StateStoreTemplate template, ClientResources resources) {
			return new StateStoreLockRegistry(template, LockOptions.DEFAULT, resources);
		}

	}

	static class Line {

		final BlockingQueue<String> modes = new LinkedBlockingQueue<>();

		final BlockingQueue<Integer> setpoints = new LinkedBlockingQueue<>();

		private final StateStoreOperations site;

		private final StateStoreOperations plant;

		Line(@Qualifier("stateStoreTemplate") StateStoreOperations site,
				@Qualifier("plant") StateStoreOperations plant) {
			this.site = site;
			this.plant = plant;
		}

		String copyMode() {
			String mode = this.plant.get("mode", String.class).orElseThrow().value();
			this.site.set("plant/mode", mode);
			return mode;
		}

		@StateStoreListener(template = "plantTemplate", keys = "mode")
		void modeChanged(String mode) {
			this.modes.add(mode);
		}

		@StateStoreListener(keys = "setpoint")
		void setpointChanged(Integer setpoint) {
			this.setpoints.add(setpoint);
		}

	}

}
