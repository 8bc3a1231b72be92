package io.statestore.client.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.mqtt.MqttCommandInvoker;
import io.statestore.client.mqtt.MqttNotificationSource;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.TestedTransport;
import io.statestore.client.observation.KeyObservations;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.MapPropertySource;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** Annotated methods in a Spring context, against the real server. */
@Timeout(60)
class StateStoreListenerTests {

	private static StateStoreBroker broker;

	private static StateStoreConnection writerConnection;

	private static StateStoreOperations writer;

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	@BeforeAll
	static void startBroker() {
		broker = StateStoreBroker.builder().start();
		writerConnection = connect();
		writerConnection.start();
		writer = new StateStoreTemplate(new MqttCommandInvoker(writerConnection), converter());
	}

	@AfterAll
	static void stopBroker() {
		writerConnection.stop();
		broker.close();
	}

	private static StateStoreConnection connect() {
		return new StateStoreConnection(TestedTransport.options()
			.host("localhost")
			.port(broker.port())
			.startTimeout(Duration.ofSeconds(20))
			.build());
	}

	private static JacksonValueConverter converter() {
		return new JacksonValueConverter(JsonMapper.builder().build());
	}

	@BeforeEach
	void forget() {
		writer.scan("*").forEach(writer::delete);
	}

	@AfterEach
	void close() {
		this.context.close();
	}

	private <T> T start(Class<T> listeners) {
		this.context.register(StoreConfiguration.class, listeners);
		this.context.refresh();
		return this.context.getBean(listeners);
	}

	private static void await(List<?> calls, int count) {
		Awaitility.await("call " + count).until(() -> calls.size() >= count);
	}

	@Test
	void everyKindOfArgument() {
		Arguments listeners = start(Arguments.class);
		Version set = writer.set("machines/press/setpoint", new Setpoint(42)).version();
		Version deleted = Objects.requireNonNull(writer.delete("machines/press/setpoint").version());
		await(listeners.payloads, 2);
		await(listeners.optionals, 2);
		await(listeners.changes, 2);
		await(listeners.metadata, 2);
		await(listeners.headers, 2);
		await(listeners.messages, 3);
		assertThat(listeners.payloads).containsExactly(new Setpoint(42), "null");
		assertThat(listeners.optionals).containsExactly(Optional.of(new Setpoint(42)), Optional.empty());
		assertThat(listeners.changes).containsExactly(
				new KeyChange<>(Key.of("machines/press/setpoint"), Operation.SET, new Setpoint(42), set, false),
				new KeyChange<>(Key.of("machines/press/setpoint"), Operation.DELETE, null, deleted, false));
		assertThat(listeners.metadata).containsExactly("machines/press/setpoint SET " + set,
				"machines/press/setpoint DELETE " + deleted);
		assertThat(listeners.headers).containsExactly("machines/press/setpoint SET " + set + " false true",
				"machines/press/setpoint DELETE " + deleted + " false true");
		assertThat(listeners.messages).containsExactlyInAnyOrder(Optional.of(new Setpoint(42)), Optional.empty(),
				new Setpoint(42));
	}

	static class Arguments {

		final List<Object> payloads = new CopyOnWriteArrayList<>();

		final List<Optional<Setpoint>> optionals = new CopyOnWriteArrayList<>();

		final List<KeyChange<Setpoint>> changes = new CopyOnWriteArrayList<>();

		final List<String> metadata = new CopyOnWriteArrayList<>();

		final List<String> headers = new CopyOnWriteArrayList<>();

		final List<Object> messages = new CopyOnWriteArrayList<>();

		@StateStoreListener(keys = "machines/press/setpoint")
		void payload(@Payload @Nullable Setpoint setpoint) {
			this.payloads.add((setpoint != null) ? setpoint : "null");
		}

		@StateStoreListener(keys = "machines/press/setpoint")
		void optional(Optional<Setpoint> setpoint) {
			this.optionals.add(setpoint);
		}

		@StateStoreListener(keys = "machines/press/setpoint")
		public void change(KeyChange<Setpoint> change, Setpoint same) {
			assertThat(same).isSameAs(change.value());
			this.changes.add(change);
		}

		@StateStoreListener(keys = "machines/press/setpoint")
		void metadata(Version version, Key key, Operation operation) {
			this.metadata.add(key + " " + operation + ' ' + version);
		}

		@StateStoreListener(keys = "machines/press/setpoint")
		void headers(@Header(StateStoreHeaders.KEY) String key, @Header(StateStoreHeaders.VERSION) Version version,
				@Header(StateStoreHeaders.OPERATION) String operation,
				@Header(StateStoreHeaders.RESYNCHRONISED) boolean resynchronised, @Headers Map<String, Object> all) {
			this.headers.add(key + ' ' + operation + ' ' + version + ' ' + resynchronised + ' '
					+ Key.of(key).equals(all.get(StateStoreHeaders.KEY)));
		}

		@StateStoreListener(keys = "machines/press/setpoint")
		void message(Message<Optional<Setpoint>> message) {
			this.messages.add(message.getPayload());
		}

		@StateStoreListener(keys = "machines/press/setpoint", operations = Operation.SET)
		void message(Message<Setpoint> message, @Header(StateStoreHeaders.KEY) Key key) {
			this.messages.add(message.getPayload());
		}

	}

	@Test
	void keysFromPropertiesExpressionsAndSeveralAnnotations() {
		this.context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("test", Map.of("machine", "press", "lathe.autostart", "true")));
		Keys listeners = start(Keys.class);
		StateStoreListenerRegistry registry = this.context.getBean(StateStoreListenerRegistry.class);
		assertThat(registry.get("all").keys()).containsExactly(Key.of("machines/press"), Key.of("a"), Key.of("b"));
		assertThat(registry.ids()).hasSize(4)
			.contains("all", "stateStoreListenerTests.Keys.lathe", "stateStoreListenerTests.Keys.lathe#2");
		for (String key : List.of("machines/press", "a", "b", "lathe", "mill", "meta")) {
			writer.set(key, key);
		}
		await(listeners.called, 6);
		assertThat(listeners.called).containsExactlyInAnyOrder("machines/press", "a", "b", "lathe", "mill", "meta");
	}

	@StateStoreListener(initial = true)
	@Retention(RetentionPolicy.RUNTIME)
	@interface WithCurrentValue {

		@AliasFor(annotation = StateStoreListener.class, attribute = "keys")
		String[] value();

	}

	static class Keys {

		final List<String> called = new CopyOnWriteArrayList<>();

		@StateStoreListener(id = "all", keys = { "machines/${machine}", "#{{'a', 'b'}}", "a" })
		void several(String value) {
			this.called.add(value);
		}

		@StateStoreListener(keys = "lathe", autoStartup = "${lathe.autostart}")
		@StateStoreListener(keys = "mill")
		void lathe(String value) {
			this.called.add(value);
		}

		@WithCurrentValue("meta")
		void meta(String value) {
			this.called.add(value);
		}

	}

	@Test
	void initialAndOwnChanges() {
		writer.set("key", "current");
		InitialAndOwn listeners = start(InitialAndOwn.class);
		await(listeners.called, 1);
		this.context.getBean(StateStoreOperations.class).set("key", "own");
		writer.set("key", "foreign");
		await(listeners.called, 2);
		assertThat(listeners.called).containsExactly("current true", "foreign false");
	}

	static class InitialAndOwn {

		final List<String> called = new CopyOnWriteArrayList<>();

		@StateStoreListener(keys = "key", initial = true, ignoreOwn = true)
		void changed(KeyChange<String> change) {
			this.called.add(change.value() + " " + change.resynchronised());
		}

	}

	@Test
	void startAndStopById() {
		ById listeners = start(ById.class);
		StateStoreListenerRegistry registry = this.context.getBean(StateStoreListenerRegistry.class);
		assertThat(registry.get("late").isRunning()).isFalse();
		assertThat(registry.get("early").isActive()).isTrue();
		writer.set("key", "1");
		await(listeners.early, 1);
		registry.start("late");
		assertThat(registry.get("late").isActive()).isTrue();
		registry.stop("early");
		writer.set("key", "2");
		await(listeners.late, 1);
		assertThat(listeners.early).containsExactly("1");
		assertThat(listeners.late).containsExactly("2");
		assertThatIllegalArgumentException().isThrownBy(() -> registry.start("unknown"))
			.withMessageContaining("'unknown'")
			.withMessageContaining("early");
	}

	@Test
	void survivesStopThenStart() {
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
		await(listeners.late, 1);
		assertThat(listeners.late).containsExactly("1");
		assertThat(listeners.early).isEmpty();
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

	@Test
	void listenerMayCloseItsContext() throws Exception {
		Closing listeners = start(Closing.class);
		writer.set("key", "enough");
		assertThat(listeners.closed.await(50, TimeUnit.SECONDS)).isTrue();
		assertThat(this.context.isActive()).isFalse();
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

	@Test
	void failuresGoToTheErrorHandler() {
		Failing listeners = start(Failing.class);
		writer.set("key", new Setpoint(-1));
		writer.set("key", "no setpoint");
		writer.set("key", new Setpoint(13));
		writer.set("key", new Setpoint(1));
		await(listeners.called, 1);
		assertThat(listeners.called).containsExactly(new Setpoint(1));
		assertThat(listeners.failures).hasSize(3);
		assertThat(listeners.failures.get(0)).startsWith("failing SET key ")
			.contains("is not valid: [degrees (negative)]")
			.doesNotContain("-1");
		assertThat(listeners.failures.get(1)).contains("cannot be read as");
		assertThat(listeners.failures.get(2)).contains("bad luck");
	}

	static class Failing {

		final List<Setpoint> called = new CopyOnWriteArrayList<>();

		final List<String> failures = new CopyOnWriteArrayList<>();

		@StateStoreListener(id = "failing", keys = "key", errorHandler = "remember")
		void changed(@Validated Setpoint setpoint) {
			if (setpoint.degrees() == 13) {
				throw new IllegalStateException("bad luck");
			}
			this.called.add(setpoint);
		}

		@Bean
		KeyChangeErrorHandler remember() {
			return (id, change, failure) -> this.failures
				.add(id + ' ' + change.operation() + ' ' + change.key() + ' ' + failure.getMessage());
		}

		@Bean
		Validator validator() {
			return Validator.forInstanceOf(Setpoint.class, (Setpoint setpoint, Errors errors) -> {
				if (setpoint.degrees() < 0) {
					errors.rejectValue("degrees", "negative");
				}
			});
		}

	}

	@Test
	void saysWhatIsWrongWithAnAnnotation() {
		assertRefused(NoKeys.class, "NoKeys.changed has no 'keys'");
		assertRefused(EmptyKey.class, "'keys'", "must not be empty");
		assertRefused(LongKey.class, "a key of 32701 bytes in 'keys'", "32700");
		assertRefused(UnknownHandler.class, "UnknownHandler.changed has the 'errorHandler' 'missing'",
				"KeyChangeErrorHandler");
		assertRefused(UnknownPlaceholder.class, "UnknownPlaceholder.changed has '${not.there}' in 'keys'",
				"cannot be resolved");
		assertRefused(BadExpression.class, "BadExpression.changed has '#{noSuchBean.name}' in 'keys'");
		assertRefused(NumberKey.class, "'#{42}' in 'keys'", "java.lang.Integer, not a text");
		assertRefused(TwoPayloads.class, "TwoPayloads.changed has 2 arguments for the value");
		assertRefused(TwoTypes.class, "TwoTypes.changed requires the value as");
		assertRefused(Primitive.class, "int cannot be null", "'operations' to SET");
		assertRefused(PlainMessage.class, "Message<Optional<...>>");
		assertRefused(NoOperations.class, "has no 'operations'");
		assertRefused(NotBoolean.class, "'autoStartup' 'maybe'", "true or false");
		assertRefused(SameId.class, "Two state store listeners have the id 'same'", "SameId.one", "SameId.other",
				"another 'id'");
	}

	private static void assertRefused(Class<?> listeners, String... messages) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(StoreConfiguration.class, listeners);
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(context::refresh)
				.satisfies((failure) -> assertThat(failure.getMessage()).contains(messages));
		}
	}

	static class NoKeys {

		@StateStoreListener
		void changed(String value) {
		}

	}

	static class EmptyKey {

		@StateStoreListener(keys = "")
		void changed(String value) {
		}

	}

	static class LongKey {

		@StateStoreListener(keys = "#{'x'.repeat(32701)}")
		void changed(String value) {
		}

	}

	static class UnknownHandler {

		@StateStoreListener(keys = "key", errorHandler = "missing")
		void changed(String value) {
		}

	}

	static class UnknownPlaceholder {

		@StateStoreListener(keys = "${not.there}")
		void changed(String value) {
		}

	}

	static class BadExpression {

		@StateStoreListener(keys = "#{noSuchBean.name}")
		void changed(String value) {
		}

	}

	static class NumberKey {

		@StateStoreListener(keys = "#{42}")
		void changed(String value) {
		}

	}

	static class TwoPayloads {

		@StateStoreListener(keys = "key")
		void changed(String value, Setpoint other) {
		}

	}

	static class TwoTypes {

		@StateStoreListener(keys = "key")
		void changed(KeyChange<String> value, Setpoint other) {
		}

	}

	static class Primitive {

		@StateStoreListener(keys = "key")
		void changed(int value) {
		}

	}

	static class PlainMessage {

		@StateStoreListener(keys = "key")
		void changed(Message<String> value) {
		}

	}

	static class NoOperations {

		@StateStoreListener(keys = "key", operations = {})
		void changed(String value) {
		}

	}

	static class NotBoolean {

		@StateStoreListener(keys = "key", autoStartup = "maybe")
		void changed(String value) {
		}

	}

	static class SameId {

		@StateStoreListener(id = "same", keys = "key")
		void one(String value) {
		}

		@StateStoreListener(id = "same", keys = "key")
		void other(String value) {
		}

	}

	@Test
	void startsWithoutABroker() {
		StateStoreConnection nowhere = new StateStoreConnection(
				TestedTransport.options().port(1).startTimeout(Duration.ZERO).build());
		try (KeyObservations observations = new KeyObservations(new MqttNotificationSource(nowhere),
				new MqttCommandInvoker(nowhere))) {
			nowhere.start();
			StateStoreOperations store = new StateStoreTemplate(new MqttCommandInvoker(nowhere), null, observations);
			StateStoreListenerRegistry registry = new StateStoreListenerRegistry(() -> store, Duration.ofMillis(50));
			registry.register(new StateStoreListenerEndpoint("waiting", List.of(Key.of("key")), String.class,
					new StateStoreListenerEndpoint.Options(Set.of(Operation.SET), false, false, null, true),
					(change) -> {
					}));
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

	record Setpoint(int degrees) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableStateStoreListeners
	static class StoreConfiguration {

		@Bean
		StateStoreConnection stateStoreConnection() {
			return connect();
		}

		@Bean
		MqttCommandInvoker stateStoreInvoker(StateStoreConnection connection) {
			return new MqttCommandInvoker(connection);
		}

		@Bean
		KeyObservations keyObservations(StateStoreConnection connection, MqttCommandInvoker invoker) {
			return new KeyObservations(new MqttNotificationSource(connection), invoker);
		}

		@Bean
		StateStoreTemplate stateStoreTemplate(MqttCommandInvoker invoker, KeyObservations observations) {
			return new StateStoreTemplate(invoker, converter(), observations);
		}

	}

}
