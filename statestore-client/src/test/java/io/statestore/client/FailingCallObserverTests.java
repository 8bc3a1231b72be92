package io.statestore.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls whose observation fails with an error. */
@Isolated("captures the log")
class FailingCallObserverTests {

	private enum Event {

		START, STOP, SCOPE_OPENED, SCOPE_CLOSED

	}

	private static final Response OK = new Response(new Reply.Ok(), new Version(1, 0, "StateStore"));

	private final InMemoryStateStore store = new InMemoryStateStore();

	private final ObservationRegistry registry = ObservationRegistry.create();

	private final StateStoreTemplate template = StateStoreObservability.of(this.registry)
		.observe(new StateStoreTemplate(this.store));

	private @Nullable Event failing;

	/** Scopes of the working handler. */
	private int open;

	@BeforeEach
	void addHandlers() {
		this.registry.observationConfig().observationHandler(new WorkingHandler());
		this.registry.observationConfig().observationHandler(new FailingHandler());
	}

	@AfterEach
	void leaveScope() {
		// All registries share the scope of a thread.
		this.registry.setCurrentObservationScope(null);
	}

	@ParameterizedTest
	@EnumSource(Event.class)
	void callSucceeds(Event event) {
		this.failing = event;
		assertThat(this.template.set("key", "value").applied()).isTrue();
	}

	@ParameterizedTest
	@EnumSource(Event.class)
	void asynchronousCallSucceedsInScopeOfCaller(Event event) throws Exception {
		CompletableFuture<Response> reply = new CompletableFuture<>();
		this.store.answer(reply);
		Observation caller = Observation.start("caller", this.registry);
		CompletableFuture<SetResult> result = caller.scoped(() -> this.template.async().set("key", "value"));
		Observation present = Observation.start("present", this.registry);
		Observation.Scope scope = present.openScope();
		this.failing = event;
		reply.complete(OK);
		assertThat(result.get(30, TimeUnit.SECONDS).applied()).isTrue();
		assertThat(this.registry.getCurrentObservationScope()).isSameAs(scope);
	}

	@Test
	void closesScopesOpenedBeforeFailure() {
		CompletableFuture<Response> reply = new CompletableFuture<>();
		this.store.answer(reply);
		Observation caller = Observation.start("caller", this.registry);
		caller.scoped(() -> this.template.async().set("key", "value"));
		this.failing = Event.SCOPE_OPENED;
		reply.complete(OK);
		assertThat(this.open).isZero();
	}

	@Test
	void asynchronousCallFails() {
		this.store.answer(new StateStoreException("expected"));
		this.failing = Event.STOP;
		assertThat(this.template.async().set("key", "value")).isCompletedExceptionally();
	}

	@Test
	void canceledCallCancelsReply() {
		CompletableFuture<Response> reply = new CompletableFuture<>();
		this.store.answer(reply);
		this.failing = Event.STOP;
		this.template.async().set("key", "value").cancel(true);
		assertThat(reply).isCancelled();
	}

	private final class WorkingHandler implements ObservationHandler<Observation.Context> {

		@Override
		public void onScopeOpened(Observation.Context context) {
			FailingCallObserverTests.this.open++;
		}

		@Override
		public void onScopeClosed(Observation.Context context) {
			FailingCallObserverTests.this.open--;
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

	private final class FailingHandler implements ObservationHandler<Observation.Context> {

		@Override
		public void onStart(Observation.Context context) {
			failAt(Event.START);
		}

		@Override
		public void onStop(Observation.Context context) {
			failAt(Event.STOP);
		}

		@Override
		public void onScopeOpened(Observation.Context context) {
			failAt(Event.SCOPE_OPENED);
		}

		@Override
		public void onScopeClosed(Observation.Context context) {
			failAt(Event.SCOPE_CLOSED);
		}

		private void failAt(Event event) {
			if (FailingCallObserverTests.this.failing == event) {
				throw new NoClassDefFoundError("expected");
			}
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
