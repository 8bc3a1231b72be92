package io.statestore.client.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ListenerInvokerTests {

	private static final KeyChange<Bytes> CHANGE = new KeyChange<>(Key.of("key"), Operation.SET, Bytes.of("secret"),
			new Version(1, 0, "StateStore"), true);

	private final List<Observation.Context> stopped = new ArrayList<>();

	private final ObservationRegistry registry = ObservationRegistry.create();

	private void deliver(KeyChangeListener<Bytes> listener, @Nullable KeyChangeErrorHandler errorHandler) {
		deliver(new Settings("id", false, false, Set.of(Operation.SET), errorHandler), listener);
	}

	private void deliverDirectly() {
		deliver(new Settings("id", false, false, Set.of(Operation.SET), null).asDirect(), (change) -> {
		});
	}

	private void deliver(Settings settings, KeyChangeListener<Bytes> listener) {
		recordStopped();
		invoke(settings, listener);
	}

	private void invoke(Settings settings, KeyChangeListener<Bytes> listener) {
		new ListenerInvoker(settings, listener, StateStoreObservability.of(this.registry)).accept(CHANGE);
	}

	private void recordStopped() {
		this.registry.observationConfig().observationHandler(new ObservationHandler<>() {

			@Override
			public void onStop(Observation.Context context) {
				ListenerInvokerTests.this.stopped.add(context);
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return true;
			}

		});
	}

	@Test
	void observesEveryCall() {
		List<@Nullable Observation> current = new ArrayList<>();
		deliver((change) -> current.add(this.registry.getCurrentObservation()), null);
		assertThat(current).doesNotContainNull();
		Observation.Context context = this.stopped.get(0);
		assertThat(context.getName()).isEqualTo("statestore.listener");
		assertThat(context.getLowCardinalityKeyValues().stream().map(Object::toString)).containsExactlyInAnyOrder(
				"keyValue(messaging.system=mqtt)", "keyValue(messaging.operation.name=process)",
				"keyValue(messaging.operation.type=process)", "keyValue(error.type=none)",
				"keyValue(messaging.destination.template=clients/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8"
						+ "/{clientId}/command/notify/{key})",
				"keyValue(statestore.listener.id=id)", "keyValue(statestore.operation=SET)",
				"keyValue(statestore.resynchronized=true)");
		assertThat(context.getHighCardinalityKeyValues().stream().map(Object::toString))
			.containsExactly("keyValue(statestore.key=key)");
		assertThat(context.getError()).isNull();
	}

	@Test
	void observesAndHandlesFailures() {
		List<Throwable> handled = new ArrayList<>();
		deliver((change) -> {
			throw new AssertionError("expected");
		}, (id, change, failure) -> handled.add(failure));
		assertThat(handled).singleElement().isSameAs(this.stopped.get(0).getError()).hasFieldOrProperty("message");
	}

	@Test
	void continuesAfterErrorHandlerFailure() {
		deliver((change) -> {
			throw new IllegalStateException("expected");
		}, (id, change, failure) -> {
			throw new IllegalStateException("expected too");
		});
		assertThat(this.stopped).hasSize(1);
	}

	@Test
	void clearsInterruptSetByListener() {
		deliver((change) -> Thread.currentThread().interrupt(), null);
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void keepsInterruptSetByDirectListener() {
		Thread.currentThread().interrupt();
		deliverDirectly();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void doesNotObserveDirectListener() {
		deliverDirectly();
		assertThat(this.stopped).isEmpty();
	}

	@Test
	void listenersWithoutIdShareOneMeter() {
		recordStopped();
		Set<Object> meters = new HashSet<>();
		Set<String> logged = new HashSet<>();
		StateStoreTemplate template = new StateStoreTemplate((command, options) -> new CompletableFuture<>(), null,
				new DeliveringWatcher());
		for (int i = 0; i < 100; i++) {
			template.watch("key" + i, String.class, (spec) -> spec.onError((id, change, failure) -> logged.add(id)),
					(change) -> {
						throw new IllegalStateException("expected");
					});
		}
		assertThat(this.stopped).hasSize(100).allSatisfy((context) -> {
			assertThat(context.getContextualName()).isEqualTo("process");
			meters.add(context.getLowCardinalityKeyValues());
		});
		assertThat(meters).hasSize(1).first().asString().contains("statestore.listener.id=none");
		assertThat(logged).hasSize(100).contains("key7");
	}

	/** Delivers a change of each key at once. */
	private final class DeliveringWatcher implements KeyWatcher {

		@Override
		public KeyWatch watch(Key key, Settings settings, KeyChangeListener<Bytes> listener) {
			invoke(settings, listener);
			return new ClosedWatch(key);
		}

		@Override
		public CommandInvoker tracking(CommandInvoker invoker) {
			return invoker;
		}

	}

	private record ClosedWatch(Key key) implements KeyWatch {

		@Override
		public CompletableFuture<Void> started() {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public boolean awaitStarted(Duration timeout) {
			return true;
		}

		@Override
		public boolean isActive() {
			return false;
		}

		@Override
		public CompletableFuture<Void> closeAsync() {
			return CompletableFuture.completedFuture(null);
		}

	}

	@ParameterizedTest
	@ValueSource(strings = { "start", "error", "stop", "scope opened", "scope closed" })
	void callsListenerIfObservationFails(String event) {
		List<KeyChange<Bytes>> received = new ArrayList<>();
		List<Throwable> handled = new ArrayList<>();
		this.registry.observationConfig().observationHandler(new FailingHandler(event));
		deliver((change) -> {
			received.add(change);
			throw new IllegalArgumentException("expected");
		}, (id, change, failure) -> handled.add(failure));
		assertThat(received).hasSize(1);
		assertThat(handled).hasSize(1);
		assertThat(this.registry.getCurrentObservationScope()).isNull();
	}

	private record FailingHandler(String event) implements ObservationHandler<Observation.Context> {

		@Override
		public void onStart(Observation.Context context) {
			failAt("start");
		}

		@Override
		public void onError(Observation.Context context) {
			failAt("error");
		}

		@Override
		public void onStop(Observation.Context context) {
			failAt("stop");
		}

		@Override
		public void onScopeOpened(Observation.Context context) {
			failAt("scope opened");
		}

		@Override
		public void onScopeClosed(Observation.Context context) {
			failAt("scope closed");
		}

		private void failAt(String event) {
			if (this.event.equals(event)) {
				throw new NoClassDefFoundError("expected");
			}
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
