package io.statestore.testing;

import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.MqttCommandInvoker;
import io.statestore.client.mqtt.MqttNotificationSource;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.client.watch.KeyWatches;
import io.statestore.client.watch.WatchOptions;

/**
 * A client of an {@link InMemoryStateStore}, which stands for one process. Thread-safe.
 */
public final class InMemoryClient implements AutoCloseable {

	private final ClientResources resources;

	private final StateStoreConnection connection;

	private final KeyWatches watches;

	private final StateStoreTemplate template;

	private final StateStoreLockRegistry locks;

	InMemoryClient(InMemoryStateStore store, String clientId) {
		this.resources = new ClientResources(store.time());
		ConnectionOptions options = ConnectionOptions.builder().host("in-memory").clientId(clientId).build();
		this.connection = store.connection(options, this.resources);
		MqttCommandInvoker invoker = new MqttCommandInvoker(this.connection);
		this.watches = new KeyWatches(new MqttNotificationSource(this.connection), invoker, WatchOptions.DEFAULT, null,
				StateStoreObservability.NONE, this.resources);
		this.template = new StateStoreTemplate(invoker, null, this.watches);
		this.locks = locks(LockOptions.DEFAULT);
		this.connection.start();
	}

	/**
	 * Returns the operations of this client. Values are of the types {@code String},
	 * {@code byte[]}, and {@code Bytes}.
	 * @return the operations
	 */
	public StateStoreOperations operations() {
		return this.template;
	}

	/**
	 * Returns the watches of this client.
	 * @return the watches
	 */
	public KeyWatches watches() {
		return this.watches;
	}

	/**
	 * Returns the locks of this client, with default options.
	 * @return the registry
	 */
	public StateStoreLockRegistry lockRegistry() {
		return this.locks;
	}

	/**
	 * Creates a registry of locks with other options.
	 * @param options the options
	 * @return a new registry
	 */
	public StateStoreLockRegistry locks(LockOptions options) {
		return new StateStoreLockRegistry(this.template, options, this.resources);
	}

	/**
	 * Ends the connection. The store keeps the locks of this client until they expire.
	 */
	@Override
	public void close() {
		this.watches.close();
		this.connection.close();
		this.resources.close();
	}

}
