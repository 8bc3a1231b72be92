package io.statestore.cli;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.MqttCommandInvoker;
import io.statestore.client.mqtt.MqttNotificationSource;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.observation.KeyObservations;

/**
 * Connection of one command to its server. The first call connects. Without a connection,
 * calls fail as soon as the first attempt to connect has failed, with several hosts after
 * the timeout, within which a cluster can elect a leader.
 */
final class Session implements AutoCloseable {

	private final ClientResources resources = new ClientResources();

	private final StateStoreConnection connection;

	private final MqttCommandInvoker invoker;

	private final List<StateStoreLockRegistry> registries = new CopyOnWriteArrayList<>();

	Session(ConnectionOptions options) {
		this.connection = new StateStoreConnection(options, this.resources);
		this.invoker = new MqttCommandInvoker(this.connection);
	}

	/** Returns a template for reads and writes, which cannot observe keys. */
	StateStoreTemplate template() {
		return new StateStoreTemplate(this.invoker);
	}

	/** Returns a new template that can observe keys. Call this at most once. */
	StateStoreTemplate observingTemplate() {
		KeyObservations observations = new KeyObservations(new MqttNotificationSource(this.connection), this.invoker);
		return new StateStoreTemplate(this.invoker, null, observations);
	}

	/**
	 * Returns a new registry of locks, which this session stops.
	 * @param options of the locks
	 */
	StateStoreLockRegistry locks(LockOptions options) {
		StateStoreLockRegistry registry = new StateStoreLockRegistry(observingTemplate(), options, this.resources);
		this.registries.add(registry);
		return registry;
	}

	/**
	 * Stops the registries. Returns after they have released what a wait that was
	 * interrupted has acquired since.
	 */
	void stopLocks() {
		this.registries.forEach(StateStoreLockRegistry::stop);
	}

	MqttCommandInvoker invoker() {
		return this.invoker;
	}

	StateStoreConnection connection() {
		return this.connection;
	}

	@Override
	public void close() {
		stopLocks();
		this.connection.close();
		this.resources.close();
	}

}
