package io.statestore.testing.broker;

import java.time.Duration;
import java.util.function.Consumer;

import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.ValueConverter;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.client.watch.KeyWatches;
import io.statestore.client.watch.WatchOptions;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.ClassUtils;

/**
 * A client of a {@link TestBroker}, with a separate connection. Two clients behave like
 * two processes. Thread-safe.
 */
public final class TestClient implements AutoCloseable {

	private static final Duration MIN_RECONNECT_DELAY = Duration.ofMillis(10);

	private static final Duration MAX_RECONNECT_DELAY = Duration.ofMillis(200);

	private final Runnable closed;

	private final ClientResources resources;

	private final StateStoreConnection connection;

	private final KeyWatches watches;

	private final StateStoreTemplate operations;

	private final StateStoreLockRegistry locks;

	/**
	 * Connects a client.
	 * @param resources timer, threads, and time, now owned by the client
	 * @param customizer changes the connection options
	 * @param closed run when this client is closed
	 */
	TestClient(String host, int port, String clientId, ClientResources resources,
			Consumer<ConnectionOptions.Builder> customizer, Runnable closed) {
		this.closed = closed;
		this.resources = resources;
		ConnectionOptions.Builder options = ConnectionOptions.builder()
			.host(host)
			.port(port)
			.clientId(clientId)
			.reconnectDelay(MIN_RECONNECT_DELAY, MAX_RECONNECT_DELAY);
		customizer.accept(options);
		this.connection = new StateStoreConnection(options.build(), resources);
		this.watches = new KeyWatches(this.connection, WatchOptions.DEFAULT, null, StateStoreObservability.NONE,
				resources);
		this.operations = new StateStoreTemplate(this.connection, converter(), this.watches);
		this.locks = new StateStoreLockRegistry(this.operations, LockOptions.DEFAULT.withHolderName(clientId),
				resources);
		try {
			this.connection.start();
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	private static @Nullable ValueConverter converter() {
		return ClassUtils.isPresent("tools.jackson.databind.json.JsonMapper", TestClient.class.getClassLoader())
				? Jackson.converter() : null;
	}

	/**
	 * Returns the MQTT client ID, which is also this client's name as a lock holder.
	 * @return the client ID
	 */
	public String clientId() {
		return this.connection.getClientId();
	}

	/**
	 * Returns this client's operations. Values are converted to JSON if Jackson is on the
	 * class path.
	 * @return operations on the store
	 */
	public StateStoreTemplate operations() {
		return this.operations;
	}

	/**
	 * Returns this client's lock registry.
	 * @return a registry that the client stops when closed
	 */
	public StateStoreLockRegistry locks() {
		return this.locks;
	}

	/**
	 * Returns this client's connection.
	 * @return a connection that the client closes
	 */
	public StateStoreConnection connection() {
		return this.connection;
	}

	/**
	 * Disconnects. Locks that this client still holds are lost; they remain in the store
	 * until their leases expire.
	 */
	@Override
	public void close() {
		this.locks.stop();
		this.watches.close();
		this.connection.close();
		this.closed.run();
		this.resources.close();
	}

	@Override
	public String toString() {
		return "TestClient[" + clientId() + ']';
	}

	/** Loaded only if Jackson is on the class path. */
	private static final class Jackson {

		static ValueConverter converter() {
			return new JacksonValueConverter(JsonMapper.builder().build());
		}

	}

}
