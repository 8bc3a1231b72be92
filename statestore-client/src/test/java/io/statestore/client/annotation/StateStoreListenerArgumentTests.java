package io.statestore.client.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.client.Key;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreOperations;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.MapPropertySource;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;

import static org.assertj.core.api.Assertions.assertThat;

/** Keys and method arguments of annotated listeners. */
@Timeout(60)
class StateStoreListenerArgumentTests extends AnnotatedListenerSetup {

	@Test
	void passesEveryKindOfArgument() {
		Arguments listeners = start(Arguments.class);
		Version set = writer.set("machines/press/setpoint", new Setpoint(42)).version();
		Version deleted = Objects.requireNonNull(writer.delete("machines/press/setpoint").version());
		awaitCalls(listeners.payloads, 2);
		awaitCalls(listeners.optionals, 2);
		awaitCalls(listeners.changes, 2);
		awaitCalls(listeners.metadata, 2);
		awaitCalls(listeners.headers, 2);
		awaitCalls(listeners.messages, 3);
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

	@Test
	void resolvesKeysFromSeveralAnnotations() {
		this.context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("test", Map.of("machine", "press", "lathe.autostart", "true")));
		Keys listeners = start(Keys.class);
		StateStoreListenerRegistry registry = this.context.getBean(StateStoreListenerRegistry.class);
		assertThat(registry.get("all").keys()).containsExactly(Key.of("machines/press"), Key.of("a"), Key.of("b"));
		assertThat(registry.ids()).hasSize(4)
			.contains("all", "stateStoreListenerArgumentTests.Keys.lathe",
					"stateStoreListenerArgumentTests.Keys.lathe#2");
		for (String key : List.of("machines/press", "a", "b", "lathe", "mill", "meta")) {
			writer.set(key, key);
		}
		awaitCalls(listeners.called, 6);
		assertThat(listeners.called).containsExactlyInAnyOrder("machines/press", "a", "b", "lathe", "mill", "meta");
	}

	@Test
	void passesInitialValueAndOmitsOwnChanges() {
		writer.set("key", "current");
		InitialAndOwn listeners = start(InitialAndOwn.class);
		awaitCalls(listeners.called, 1);
		this.context.getBean(StateStoreOperations.class).set("key", "own");
		writer.set("key", "foreign");
		awaitCalls(listeners.called, 2);
		assertThat(listeners.called).containsExactly("current true", "foreign false");
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
				@Header(StateStoreHeaders.RESYNCHRONIZED) boolean resynchronized, @Headers Map<String, Object> all) {
			this.headers.add(key + ' ' + operation + ' ' + version + ' ' + resynchronized + ' '
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

	static class InitialAndOwn {

		final List<String> called = new CopyOnWriteArrayList<>();

		@StateStoreListener(keys = "key", initial = true, noLocal = true)
		void changed(KeyChange<String> change) {
			this.called.add(change.value() + " " + change.resynchronized());
		}

	}

}
