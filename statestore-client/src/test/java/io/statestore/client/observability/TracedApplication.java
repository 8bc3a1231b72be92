package io.statestore.client.observability;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;
import io.statestore.client.watch.WatchOptions;

import static org.awaitility.Awaitility.await;

/** An application with a tracer and a connection of its own. */
final class TracedApplication implements AutoCloseable {

	final List<SpanData> spans = new CopyOnWriteArrayList<>();

	final ObservationRegistry registry = ObservationRegistry.create();

	final StateStoreConnection connection;

	final StateStoreTemplate template;

	final StateStoreLockRegistry locks;

	private final SdkTracerProvider provider = SdkTracerProvider.builder()
		.addSpanProcessor(SimpleSpanProcessor.create(new Recorder()))
		.build();

	private final ClientResources resources = new ClientResources();

	private final KeyWatches observations;

	TracedApplication(String host, int port) {
		trace();
		this.connection = new StateStoreConnection(ConnectionOptions.builder()
			.host(host)
			.port(port)
			.reconnectDelay(Duration.ofMillis(50), Duration.ofMillis(200))
			.build(), this.resources);
		StateStoreObservability observability = StateStoreObservability.of(this.registry);
		this.observations = new KeyWatches(this.connection, WatchOptions.DEFAULT, null, observability, this.resources);
		this.template = observability.observe(new StateStoreTemplate(this.connection, null, this.observations));
		this.locks = new StateStoreLockRegistry(this.template, LockOptions.DEFAULT, this.resources);
		this.connection.start();
	}

	private void trace() {
		io.opentelemetry.api.trace.Tracer otel = this.provider.get("test");
		OtelTracer tracer = new OtelTracer(otel, new OtelCurrentTraceContext(), (event) -> {
		});
		OtelPropagator propagator = new OtelPropagator(ContextPropagators.create(TextMapPropagator
			.composite(W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance())), otel);
		this.registry.observationConfig()
			.observationHandler(new ObservationHandler.FirstMatchingCompositeObservationHandler(
					new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
					new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
					new DefaultTracingObservationHandler(tracer)));
	}

	/** Returns the span with a name and an attribute, once it has ended. */
	SpanData span(String name, String attribute, String value) {
		List<SpanData> found = new ArrayList<>();
		await(name + " in " + this.spans).until(() -> {
			found.clear();
			this.spans.stream()
				.filter((span) -> span.getName().equals(name))
				.filter((span) -> span.getAttributes()
					.asMap()
					.entrySet()
					.stream()
					.anyMatch((entry) -> entry.getKey().getKey().equals(attribute)
							&& entry.getValue().toString().equals(value)))
				.forEach(found::add);
			return !found.isEmpty();
		});
		return found.get(found.size() - 1);
	}

	@Override
	public void close() {
		this.observations.close();
		this.connection.stop();
		this.resources.close();
		this.provider.close();
	}

	private final class Recorder implements SpanExporter {

		@Override
		public CompletableResultCode export(Collection<SpanData> spans) {
			TracedApplication.this.spans.addAll(spans);
			return CompletableResultCode.ofSuccess();
		}

		@Override
		public CompletableResultCode flush() {
			return CompletableResultCode.ofSuccess();
		}

		@Override
		public CompletableResultCode shutdown() {
			return CompletableResultCode.ofSuccess();
		}

	}

}
