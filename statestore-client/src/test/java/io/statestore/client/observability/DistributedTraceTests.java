package io.statestore.client.observability;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.micrometer.observation.Observation;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.client.Key;
import io.statestore.client.lock.FencedLock;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.Topics;
import io.statestore.test.Mosquitto;
import io.statestore.test.RawMqttClient;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Traces of two applications that share a store. */
@Timeout(60)
class DistributedTraceTests {

	private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("statestore.operation");

	private static final AttributeKey<String> RESYNCHRONIZED = AttributeKey.stringKey("statestore.resynchronized");

	private static StateStoreBroker broker;

	@BeforeAll
	static void start() {
		broker = StateStoreBroker.builder().start();
	}

	@AfterAll
	static void stop() {
		broker.close();
	}

	private static TracedApplication application() {
		return new TracedApplication(broker.host(), broker.port());
	}

	private static void observe(TracedApplication application, String key) {
		application.template.watch(Key.of(key), String.class, (spec) -> spec.id("listener"), (change) -> {
		});
	}

	private static SpanData call(TracedApplication application, String command, String key) {
		return application.span(command, "statestore.key", key);
	}

	private static SpanData listener(TracedApplication application, String operation, boolean resynchronized) {
		await("the listener in " + application.spans)
			.until(() -> listeners(application, operation, resynchronized).findFirst().isPresent());
		return listeners(application, operation, resynchronized).findFirst().orElseThrow();
	}

	private static Stream<SpanData> listeners(TracedApplication application, String operation, boolean resynchronized) {
		return application.spans.stream()
			.filter((span) -> span.getName().equals("process listener"))
			.filter((span) -> operation.equals(span.getAttributes().get(OPERATION)))
			.filter((span) -> Boolean.toString(resynchronized).equals(span.getAttributes().get(RESYNCHRONIZED)));
	}

	private static void assertContinues(SpanData listener, SpanData write) {
		assertThat(listener.getTraceId()).isEqualTo(write.getTraceId());
		assertThat(listener.getParentSpanId()).isEqualTo(write.getSpanId());
		assertThat(listener.getKind()).isEqualTo(SpanKind.CONSUMER);
		assertThat(write.getKind()).isEqualTo(SpanKind.CLIENT);
	}

	@Test
	void listenerContinuesTraceOfWriter() {
		String key = "shared";
		try (TracedApplication writer = application(); TracedApplication reader = application()) {
			reader.template.watch(Key.of(key), String.class, (spec) -> spec.id("listener"),
					(change) -> reader.template.get("other", String.class));
			Observation.createNotStarted("order", writer.registry).observe(() -> writer.template.set(key, "1"));
			SpanData set = call(writer, "SET", key);
			assertThat(set.getParentSpanId()).isEqualTo(writer.spans.stream()
				.filter((span) -> span.getName().equals("order"))
				.findFirst()
				.orElseThrow()
				.getSpanId());
			SpanData listener = listener(reader, "SET", false);
			assertContinues(listener, set);
			SpanData nested = call(reader, "GET", "other");
			assertThat(nested.getTraceId()).isEqualTo(set.getTraceId());
			assertThat(nested.getParentSpanId()).isEqualTo(listener.getSpanId());
			writer.template.async().delete(key).join();
			assertContinues(listener(reader, "DELETE", false), call(writer, "DEL", key));
			assertThat(call(writer, "DEL", key).getTraceId()).isNotEqualTo(set.getTraceId());
		}
	}

	@Test
	@RequiresProgram("mosquitto")
	void listenerContinuesTraceThroughGateway() throws Exception {
		try (Mosquitto mosquitto = Mosquitto.start();
				StateStoreGateway gateway = StateStoreGateway.builder()
					.host("127.0.0.1")
					.port(mosquitto.port())
					.start();
				TracedApplication writer = new TracedApplication("127.0.0.1", mosquitto.port());
				TracedApplication reader = new TracedApplication("127.0.0.1", mosquitto.port())) {
			await().until(gateway::isServing);
			observe(reader, "gateway");
			writer.template.set("gateway", "1");
			assertContinues(listener(reader, "SET", false), call(writer, "SET", "gateway"));
		}
	}

	@Test
	void startsNewTraceAfterResynchronization() {
		try (TracedApplication writer = application(); TracedApplication reader = application()) {
			observe(reader, "resynchronized");
			reader.connection.stop();
			writer.template.set("resynchronized", "1");
			reader.connection.start();
			SpanData listener = listener(reader, "SET", true);
			assertThat(listener.getTraceId()).isNotEqualTo(call(writer, "SET", "resynchronized").getTraceId());
			assertThat(listener.getParentSpanContext().isValid()).isFalse();
		}
	}

	@Test
	void startsNewTraceAfterExpiry() {
		try (TracedApplication application = application()) {
			observe(application, "expiring");
			application.template.set("expiring", "1", (spec) -> spec.expire(Duration.ofMillis(50)));
			SpanData set = call(application, "SET", "expiring");
			assertContinues(listener(application, "SET", false), set);
			assertThat(listener(application, "DELETE", false).getTraceId()).isNotEqualTo(set.getTraceId());
		}
	}

	@Test
	void startsNewTraceIfWriterHasNone() {
		try (TracedApplication reader = application();
				RawMqttClient writer = RawMqttClient.connect(broker.port(), "untraced")) {
			observe(reader, "untraced");
			writer.send(write("untraced", List.of()));
			assertThat(listener(reader, "SET", false).getParentSpanContext().isValid()).isFalse();
		}
	}

	@Test
	void survivesHostileTraceContext() {
		// The broker accepts 64 KB of properties.
		List<Map.Entry<String, String>> accepted = new ArrayList<>(
				Collections.nCopies(6_000, Map.entry("b3", "\u00FC")));
		accepted.add(Map.entry("tracestate", "x".repeat(5_000)));
		accepted.add(Map.entry("traceparent", "not a trace"));
		List<Map.Entry<String, String>> many = Collections.nCopies(10_000, Map.entry("traceparent", "x"));
		List<Map.Entry<String, String>> megabyte = Collections.nCopies(16,
				Map.entry("traceparent", "x".repeat(65_535)));
		try (TracedApplication reader = application();
				RawMqttClient first = RawMqttClient.connect(broker.port(), "hostile-1");
				RawMqttClient second = RawMqttClient.connect(broker.port(), "hostile-2");
				RawMqttClient third = RawMqttClient.connect(broker.port(), "hostile-3")) {
			observe(reader, "hostile");
			assertThat(first.puback(first.send(write("hostile", accepted)))).isZero();
			assertThat(listener(reader, "SET", false).getParentSpanContext().isValid()).isFalse();
			second.send(write("hostile", many));
			second.awaitEnd();
			third.send(write("hostile", megabyte));
			third.awaitEnd();
			reader.template.delete("hostile");
			assertContinues(listener(reader, "DELETE", false), call(reader, "DEL", "hostile"));
			assertThat(reader.connection.isConnected()).isTrue();
		}
	}

	private static RawPublish write(String key, List<Map.Entry<String, String>> properties) {
		return RawPublish.of((publish) -> {
			publish.topic = Topics.REQUEST;
			publish.payload = Commands.encode(new Command.Set(Bytes.of(key), Bytes.of("1")));
			publish.responseTopic = "answers";
			publish.correlationData = new byte[16];
			publish.userProperties.add(Map.entry("__ts", System.currentTimeMillis() + ":0:raw"));
			publish.userProperties.addAll(properties);
		});
	}

	@Test
	void observesTenureWritesButNotLockRequests() {
		try (TracedApplication application = application()) {
			FencedLock lock = application.locks.obtain("lock");
			lock.lock();
			lock.operations().set("fenced", "1");
			lock.unlock();
			call(application, "SET", "fenced");
			assertThat(application.spans).extracting(SpanData::getName).containsExactly("SET");
		}
	}

	@Test
	void callsNameTheirBroker() {
		try (TracedApplication application = application()) {
			application.template.get("key", String.class);
			Map<AttributeKey<?>, Object> attributes = call(application, "GET", "key").getAttributes().asMap();
			assertThat(attributes).containsEntry(AttributeKey.stringKey("server.address"), broker.host())
				.containsEntry(AttributeKey.stringKey("server.port"), Integer.toString(broker.port()));
		}
	}

}
