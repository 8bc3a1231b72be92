package io.statestore.boot;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.EnableStateStoreListeners;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.annotation.StateStoreListenerRegistry;
import io.statestore.client.watch.KeyWatches;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class StateStoreListenerAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.embedded.enabled=true", "statestore.start-timeout=50s", "oven.key=ovens/1")
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class));

	@Test
	void callsAnnotatedMethods() {
		this.contextRunner.withBean(OvenListener.class).run((context) -> {
			BlockingQueue<KeyChange<Oven>> changes = context.getBean(OvenListener.class).changes;
			StateStoreOperations store = context.getBean(StateStoreOperations.class);
			store.set("ovens/1", new Oven(180));
			assertThat(take(changes).value()).isEqualTo(new Oven(180));
			store.delete("ovens/1");
			assertThat(take(changes).operation()).isEqualTo(Operation.DELETE);
		});
	}

	@Test
	void deliversAfterStopAndStart() {
		this.contextRunner.withBean(OvenListener.class).run((context) -> {
			context.stop();
			context.start();
			context.getBean(StateStoreOperations.class).set("ovens/1", new Oven(200));
			assertThat(take(context.getBean(OvenListener.class).changes).value()).isEqualTo(new Oven(200));
		});
	}

	@Test
	void registersListenerWithoutAnnotation() {
		this.contextRunner.run((context) -> {
			StateStoreOperations store = context.getBean(StateStoreOperations.class);
			BlockingQueue<KeyChange<String>> changes = new LinkedBlockingQueue<>();
			try (KeyWatch watch = store.watch("key", String.class, changes::add)) {
				assertThat(watch.started()).succeedsWithin(Duration.ofSeconds(10));
				store.set("key", "value");
				assertThat(take(changes).value()).isEqualTo("value");
			}
		});
	}

	@Test
	void worksWithEnableAnnotation() {
		this.contextRunner.withUserConfiguration(Enabled.class)
			.run((context) -> assertThat(context).hasSingleBean(StateStoreListenerRegistry.class)
				.hasSingleBean(KeyWatches.class));
	}

	private static <T> KeyChange<T> take(BlockingQueue<KeyChange<T>> changes) throws InterruptedException {
		KeyChange<T> change = changes.poll(10, TimeUnit.SECONDS);
		assertThat(change).isNotNull();
		return change;
	}

	record Oven(double celsius) {
	}

	static class OvenListener {

		final BlockingQueue<KeyChange<Oven>> changes = new LinkedBlockingQueue<>();

		@StateStoreListener(keys = "${oven.key}")
		void changed(@Nullable Oven oven, KeyChange<Oven> change) {
			this.changes.add(change);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableStateStoreListeners
	static class Enabled {

	}

}
