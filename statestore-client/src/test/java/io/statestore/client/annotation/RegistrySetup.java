package io.statestore.client.annotation;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyWatch;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import static org.awaitility.Awaitility.await;

/** Registry with listeners of one key, connected to a broker of its own. */
abstract class RegistrySetup {

	static StateStoreBroker broker;

	static StateStoreConnection connection;

	static KeyWatches watches;

	static StateStoreOperations store;

	final ListAppender<ILoggingEvent> log = new ListAppender<>();

	final AtomicReference<@Nullable Runnable> onNextStart = new AtomicReference<>();

	final List<String> calls = new CopyOnWriteArrayList<>();

	final StateStoreListenerRegistry registry = registry(Duration.ofSeconds(30));

	@BeforeAll
	static void connect() {
		broker = StateStoreBroker.builder().start();
		connection = new StateStoreConnection(ConnectionOptions.builder()
			.host("localhost")
			.port(broker.port())
			.startTimeout(Duration.ofSeconds(20))
			.build());
		connection.start();
		watches = new KeyWatches(connection);
		store = template(watches);
	}

	static StateStoreOperations template(KeyWatches watches) {
		return new StateStoreTemplate(connection, new JacksonValueConverter(JsonMapper.builder().build()), watches);
	}

	@AfterAll
	static void disconnect() {
		watches.close();
		connection.stop();
		broker.close();
	}

	@BeforeEach
	void captureLog() {
		this.log.start();
		logger().addAppender(this.log);
	}

	@AfterEach
	void stop() {
		this.registry.stop();
		logger().detachAppender(this.log);
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger(StateStoreListenerRegistry.class);
	}

	/** Returns a registry that runs {@link #onNextStart} when a listener starts. */
	StateStoreListenerRegistry registry(Duration startTimeout) {
		return new StateStoreListenerRegistry(() -> {
			Runnable action = this.onNextStart.getAndSet(null);
			if (action != null) {
				action.run();
			}
			return store;
		}, startTimeout);
	}

	static StateStoreListenerEndpoint endpoint(KeyChangeListener<Object> listener,
			@Nullable KeyChangeErrorHandler errorHandler) {
		return endpoint("it", listener, errorHandler);
	}

	static StateStoreListenerEndpoint endpoint(String id, KeyChangeListener<Object> listener,
			@Nullable KeyChangeErrorHandler errorHandler) {
		return new StateStoreListenerEndpoint(id, List.of(Key.of("key")), List.of(), String.class,
				new StateStoreListenerEndpoint.Options(Set.of(Operation.SET), false, false, errorHandler, true),
				listener, null);
	}

	StateStoreListenerEndpoint register(KeyChangeListener<Object> listener) {
		StateStoreListenerEndpoint endpoint = endpoint(listener, null);
		this.registry.register(endpoint);
		return endpoint;
	}

	void record(KeyChange<Object> change) {
		this.calls.add(String.valueOf(change.value()));
	}

	/** Writes a value, and waits until another listener of the key has received it. */
	static void writeAndWait(String value) {
		List<String> received = new CopyOnWriteArrayList<>();
		try (KeyWatch other = store.watch("key", String.class, (spec) -> {
		}, (change) -> received.add(String.valueOf(change.value())))) {
			store.set("key", value);
			await().until(() -> received.contains(value));
		}
	}

}
