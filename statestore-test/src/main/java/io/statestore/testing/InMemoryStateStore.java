package io.statestore.testing;

import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.watch.KeyWatches;
import io.statestore.time.TimeSource;

/**
 * A state store in this JVM without MQTT, for tests of code that uses
 * {@link StateStoreOperations}, locks, or watches. It runs the engines of the server and
 * the client. Conditions, fencing tokens, quotas, versions, expiry, notifications, and
 * exceptions are therefore the same as with a broker.
 * <p>
 * The store has one client, to which {@link #operations()}, {@link #watches()}, and
 * {@link #lockRegistry()} belong. {@link #client} connects further ones, which stand for
 * other processes. Thread-safe.
 *
 * <pre>{@code
 * TestTime time = new TestTime();
 * try (InMemoryStateStore store = new InMemoryStateStore(time)) {
 *     store.operations().set("key", "value", (spec) -> spec.expire(Duration.ofSeconds(30)));
 *     time.advance(Duration.ofSeconds(30));
 *     assertThat(store.operations().get("key", String.class)).isEmpty();
 * }
 * }</pre>
 */
public final class InMemoryStateStore implements AutoCloseable {

	private final TimeSource time;

	private final StateStoreServer server;

	private final InMemoryClient client;

	/** Creates an empty store that follows the time of the system. */
	public InMemoryStateStore() {
		this(TimeSource.SYSTEM);
	}

	/**
	 * Creates an empty store.
	 * @param time the time of the store and its clients, for example a {@link TestTime}
	 */
	public InMemoryStateStore(TimeSource time) {
		this(StateStoreServerOptions.defaults().withTime(time));
	}

	/**
	 * Creates a store with other options, such as quotas.
	 * @param options the options of the server, including the time of its clients
	 */
	public InMemoryStateStore(StateStoreServerOptions options) {
		this.time = options.time();
		this.server = new StateStoreServer(options);
		this.client = client("test");
	}

	/**
	 * Returns the time of the store and its clients.
	 * @return the time
	 */
	public TimeSource time() {
		return this.time;
	}

	/**
	 * Returns the operations of the first client. Values are of the types {@code String},
	 * {@code byte[]}, and {@code Bytes}.
	 * @return the operations
	 */
	public StateStoreOperations operations() {
		return this.client.operations();
	}

	/**
	 * Returns the watches of the first client.
	 * @return the watches
	 */
	public KeyWatches watches() {
		return this.client.watches();
	}

	/**
	 * Returns the locks of the first client.
	 * @return the registry
	 */
	public StateStoreLockRegistry lockRegistry() {
		return this.client.lockRegistry();
	}

	/**
	 * Connects a further client, which stands for another process.
	 * @param clientId id of the client, unique in this store
	 * @return a connected client, to be closed
	 */
	public InMemoryClient client(String clientId) {
		return new InMemoryClient(this, clientId);
	}

	/**
	 * Creates a connection to this store, for example as the connection bean of an
	 * application. Host and port have no effect.
	 * @param options options of the connection
	 * @param resources time and threads of the client. The time must be that of the store
	 * @return a connection, which the caller closes
	 */
	public StateStoreConnection connection(ConnectionOptions options, ClientResources resources) {
		return new StateStoreConnection(options, resources,
				(linkOptions, linkResources, sink) -> new InMemoryLink(this.server, linkOptions.clientId(),
						resources.time(), linkResources.threads(), sink));
	}

	/** Closes the first client and the store, whose content is lost. */
	@Override
	public void close() {
		this.client.close();
		this.server.close();
	}

}
