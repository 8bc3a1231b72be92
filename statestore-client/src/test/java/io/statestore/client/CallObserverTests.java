package io.statestore.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.observability.StateStoreCallContext;
import io.statestore.client.observability.StateStoreCallObservationConvention;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Observations of the calls of a template. */
@Timeout(30)
class CallObserverTests {

	private static final Response OK = new Response(new Reply.Ok(), new Version(1, 0, "StateStore"));

	private final InMemoryStateStore store = new InMemoryStateStore();

	private final ObservationRegistry registry = ObservationRegistry.create();

	private final List<StateStoreCallContext> stopped = new CopyOnWriteArrayList<>();

	private final StateStoreTemplate template = StateStoreObservability.of(this.registry)
		.observe(new StateStoreTemplate(this.store));

	@BeforeEach
	void record() {
		this.registry.observationConfig().observationHandler(new Recorder());
	}

	private StateStoreCallContext call() {
		assertThat(this.stopped).hasSize(1);
		return this.stopped.get(0);
	}

	private static Map<String, String> low(StateStoreCallContext call) {
		return values(call.getLowCardinalityKeyValues().stream());
	}

	private static Map<String, String> high(StateStoreCallContext call) {
		return values(call.getHighCardinalityKeyValues().stream());
	}

	private static Map<String, String> values(Stream<KeyValue> values) {
		return values.collect(Collectors.toMap(KeyValue::getKey, KeyValue::getValue));
	}

	@Test
	void observesCallWithConventionalNames() {
		this.template.set("key", "secret");
		assertThat(call().getName()).isEqualTo("statestore.call");
		assertThat(call().getContextualName()).isEqualTo("SET");
		assertThat(low(call()))
			.containsExactlyInAnyOrderEntriesOf(Map.of("db.system.name", "statestore", "db.operation.name", "SET",
					"outcome", "success", "error.type", "none", "server.address", "none", "server.port", "none"));
		assertThat(high(call())).containsExactlyInAnyOrderEntriesOf(Map.of("statestore.key", "key"));
	}

	@Test
	void observesEveryOperation() throws Exception {
		this.template.get("key", String.class);
		this.template.delete("key");
		this.template.deleteIfEquals("key", "value");
		this.template.scan("*").forEach((key) -> {
		});
		this.template.async().set("key", "value").get();
		this.template.withTimeout(Duration.ofSeconds(1)).get("key", String.class);
		assertThat(this.stopped).extracting((call) -> low(call).get("db.operation.name"))
			.containsExactly("GET", "DEL", "VDEL", "SCAN", "SET", "GET");
		assertThat(high(this.stopped.get(3))).isEmpty();
	}

	@Test
	void observesReadOfSeveralKeysAsOneCall() {
		List<String> keys = new ArrayList<>();
		for (int i = 0; i < 3_000; i++) {
			keys.add("key" + i);
		}
		this.template.getAll(keys, String.class);
		assertThat(low(call())).containsEntry("db.operation.name", "BATCH GET");
		assertThat(high(call())).containsExactlyInAnyOrderEntriesOf(Map.of("db.operation.batch.size", "3000"));
		this.template.getAll(List.of("key"), String.class);
		assertThat(low(this.stopped.get(1))).containsEntry("db.operation.name", "GET");
		this.template.getAll(List.<String>of(), String.class);
		assertThat(this.stopped).hasSize(2);
	}

	@Test
	void shortensLongKey() {
		this.template.get("k".repeat(30_000), String.class);
		assertThat(high(call()).get("statestore.key")).hasSize(256);
	}

	static Stream<Arguments> failures() {
		return Stream.of(
				Arguments.of(new StateStoreNotSentException("expected"), "not-sent", "StateStoreNotSentException"),
				Arguments.of(new StateStoreOutcomeUnknownException("expected"), "outcome-unknown",
						"StateStoreOutcomeUnknownException"),
				Arguments.of(StateStoreRefusedException.of(ErrorReason.QUOTA_EXCEEDED, "expected"), "refused",
						"QUOTA_EXCEEDED"),
				Arguments.of(new StateStoreInvalidRequestException("expected"), "invalid",
						"StateStoreInvalidRequestException"),
				Arguments.of(new StateStoreException("expected"), "failed", "StateStoreException"));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void reportsFailureOutcome(StateStoreException failure, String outcome, String errorType) {
		this.store.answer(failure);
		assertThatExceptionOfType(StateStoreException.class).isThrownBy(() -> this.template.set("key", "value"));
		assertThat(this.template.async().set("key", "value")).isCompletedExceptionally();
		assertThat(this.stopped).hasSize(2).allSatisfy((call) -> {
			assertThat(low(call)).containsEntry("outcome", outcome).containsEntry("error.type", errorType);
			assertThat(call.getError()).isInstanceOf(failure.getClass());
		});
	}

	@Test
	void reportsFailedConversion() {
		this.template.set("key", "value");
		assertThatExceptionOfType(StateStoreException.class).isThrownBy(() -> this.template.get("key", Integer.class));
		assertThat(this.template.async().get("key", Integer.class)).isCompletedExceptionally();
		assertThat(this.stopped).extracting((call) -> low(call).get("outcome"))
			.containsExactly("success", "failed", "failed");
	}

	@Test
	void endsCanceledCallOnce() {
		CompletableFuture<Response> reply = new CompletableFuture<>();
		this.store.answer(reply);
		CompletableFuture<SetResult> result = this.template.async().set("key", "value");
		assertThat(this.stopped).isEmpty();
		result.cancel(true);
		reply.complete(OK);
		assertThat(low(call())).containsEntry("outcome", "canceled");
	}

	@Test
	void endsCallOfInterruptedThread() throws Exception {
		this.store.answer(new CompletableFuture<>());
		Thread caller = new Thread(() -> {
			try {
				this.template.set("key", "value");
			}
			catch (StateStoreOutcomeUnknownException ex) {
				// Expected
			}
		});
		caller.start();
		caller.interrupt();
		caller.join();
		assertThat(this.stopped.size()).isLessThanOrEqualTo(1);
		assertThat(this.stopped)
			.allSatisfy((call) -> assertThat(low(call)).containsEntry("outcome", "outcome-unknown"));
	}

	@Test
	void endsBeforeContinuations() {
		CompletableFuture<Response> reply = new CompletableFuture<>();
		this.store.answer(reply);
		List<Integer> ended = new ArrayList<>();
		this.template.async().set("key", "value").whenComplete((result, failure) -> ended.add(this.stopped.size()));
		reply.complete(OK);
		assertThat(ended).containsExactly(1);
	}

	@Test
	void continuesInScopeOfCaller() throws Exception {
		CompletableFuture<Response> reply = new CompletableFuture<>();
		this.store.answer(reply);
		List<@Nullable Observation> current = new CopyOnWriteArrayList<>();
		Observation caller = Observation.start("caller", this.registry);
		caller.scoped(() -> this.template.async()
			.set("key", "value")
			.whenComplete((result, failure) -> current.add(this.registry.getCurrentObservation())));
		Thread receiver = new Thread(() -> {
			reply.complete(OK);
			current.add(this.registry.getCurrentObservation());
		});
		receiver.start();
		receiver.join();
		assertThat(current).containsExactly(caller, null);
		assertThat(call().getParentObservation()).isSameAs(caller);
	}

	@Test
	void leavesNoScopeOpenOnCallingThread() {
		this.template.set("key", "value");
		this.template.async().set("key", "value");
		assertThat(this.registry.getCurrentObservation()).isNull();
		assertThat(this.registry.getCurrentObservationScope()).isNull();
	}

	@Test
	void failingHandlerDoesNotAffectCalls() throws Exception {
		ObservationRegistry failing = ObservationRegistry.create();
		failing.observationConfig().observationHandler(new ObservationHandler<>() {

			@Override
			public void onStop(Observation.Context context) {
				throw new IllegalStateException("expected");
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return true;
			}

		});
		StateStoreTemplate template = StateStoreObservability.of(failing).observe(this.template);
		assertThat(template.set("key", "value").applied()).isTrue();
		assertThat(template.async().get("key", String.class).get(30, TimeUnit.SECONDS)).isPresent();
	}

	@Test
	void failingConventionDoesNotAffectCalls() throws ExecutionException, InterruptedException {
		StateStoreTemplate template = new StateStoreObservability(this.registry,
				new StateStoreCallObservationConvention() {

					@Override
					public String getName() {
						throw new IllegalStateException("expected");
					}

				}, null)
			.observe(this.template);
		assertThat(template.set("key", "value").applied()).isTrue();
		assertThat(template.async().get("key", String.class).get()).isPresent();
	}

	@Test
	void conventionReplacesNames() {
		new StateStoreObservability(this.registry, new StateStoreCallObservationConvention() {

			@Override
			public String getName() {
				return "custom";
			}

		}, null).observe(this.template).set("key", "value");
		assertThat(call().getName()).isEqualTo("custom");
	}

	@Test
	void globalConventionReplacesNames() {
		this.registry.observationConfig().observationConvention(new GlobalConvention());
		this.template.set("key", "value");
		assertThat(call().getName()).isEqualTo("global");
	}

	@Test
	void predicateDisablesObservation() {
		this.registry.observationConfig().observationPredicate((name, context) -> !name.startsWith("statestore"));
		this.template.set("key", "value");
		assertThat(this.stopped).isEmpty();
		assertThat(this.store.options).containsExactly(Options.DEFAULT);
	}

	private final class Recorder implements ObservationHandler<StateStoreCallContext> {

		@Override
		public void onStop(StateStoreCallContext context) {
			CallObserverTests.this.stopped.add(context);
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof StateStoreCallContext;
		}

	}

	private static final class GlobalConvention
			implements StateStoreCallObservationConvention, GlobalObservationConvention<StateStoreCallContext> {

		@Override
		public String getName() {
			return "global";
		}

	}

}
