package io.statestore.client.annotation;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.client.Key;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Starts and stops of annotated listeners. */
@Timeout(60)
class StateStoreListenerLifecycleTests extends AnnotatedListenerSetup {

	@Test
	void startsAndStopsById() {
		ById listeners = start(ById.class);
		StateStoreListenerRegistry registry = this.context.getBean(StateStoreListenerRegistry.class);
		assertThat(registry.get("late").isRunning()).isFalse();
		assertThat(registry.get("early").isActive()).isTrue();
		writer.set("key", "1");
		awaitCalls(listeners.early, 1);
		registry.start("late");
		assertThat(registry.get("late").isActive()).isTrue();
		registry.stop("early");
		writer.set("key", "2");
		awaitCalls(listeners.late, 1);
		assertThat(listeners.early).containsExactly("1");
		assertThat(listeners.late).containsExactly("2");
		assertThatIllegalArgumentException().isThrownBy(() -> registry.start("unknown"))
			.withMessageContaining("'unknown'")
			.withMessageContaining("early");
	}

	@Test
	void keepsStopByIdWhenContextRestarts() {
		ById listeners = start(ById.class);
		StateStoreListenerRegistry registry = this.context.getBean(StateStoreListenerRegistry.class);
		registry.start("late");
		registry.stop("early");
		this.context.stop();
		assertThat(registry.isRunning()).isFalse();
		assertThat(registry.get("late").isRunning()).isFalse();
		writer.set("key", "missed");
		this.context.start();
		assertThat(registry.get("late").isActive()).isTrue();
		assertThat(registry.get("early").isRunning()).isFalse();
		writer.set("key", "1");
		awaitCalls(listeners.late, 1);
		assertThat(listeners.late).containsExactly("1");
		assertThat(listeners.early).isEmpty();
	}

	@Test
	void listenerMayCloseContext() throws Exception {
		Closing listeners = start(Closing.class);
		writer.set("key", "enough");
		assertThat(listeners.closed.await(50, TimeUnit.SECONDS)).isTrue();
		assertThat(this.context.isActive()).isFalse();
	}

	@Test
	void startsWithoutBroker() {
		StateStoreConnection nowhere = new StateStoreConnection(
				ConnectionOptions.builder().port(1).startTimeout(Duration.ZERO).build());
		try (KeyWatches watches = new KeyWatches(nowhere)) {
			nowhere.start();
			StateStoreOperations store = new StateStoreTemplate(nowhere, null, watches);
			StateStoreListenerRegistry registry = new StateStoreListenerRegistry(() -> store, Duration.ofMillis(50));
			registry.register(new StateStoreListenerEndpoint("waiting", List.of(Key.of("key")), List.of(), String.class,
					new StateStoreListenerEndpoint.Options(Set.of(Operation.SET), false, false, null, true),
					(change) -> {
					}, null));
			registry.start();
			assertThat(registry.get("waiting").isRunning()).isTrue();
			assertThat(registry.get("waiting").isActive()).isFalse();
			CompletableFuture.runAsync(registry::stop).join();
			assertThat(registry.get("waiting").isRunning()).isFalse();
		}
		finally {
			nowhere.stop();
		}
	}

	static class ById {

		final List<String> early = new CopyOnWriteArrayList<>();

		final List<String> late = new CopyOnWriteArrayList<>();

		@StateStoreListener(id = "early", keys = "key")
		void early(String value) {
			this.early.add(value);
		}

		@StateStoreListener(id = "late", keys = "key", autoStartup = "false")
		void late(String value) {
			this.late.add(value);
		}

	}

	static class Closing {

		final CountDownLatch closed = new CountDownLatch(1);

		private final ConfigurableApplicationContext context;

		Closing(ConfigurableApplicationContext context) {
			this.context = context;
		}

		@StateStoreListener(keys = "key")
		void changed(String value) {
			this.context.close();
			this.closed.countDown();
		}

	}

}
