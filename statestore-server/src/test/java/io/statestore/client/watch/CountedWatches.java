package io.statestore.client.watch;

import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.ClientResources;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.protocol.Command;

/** Creates watches whose registrations in the store are counted. */
public final class CountedWatches {

	private CountedWatches() {
	}

	/**
	 * Creates watches.
	 * @param registrations counts each KEYNOTIFY
	 */
	public static KeyWatches of(StateStoreConnection connection, AtomicInteger registrations) {
		return new KeyWatches(new MqttNotificationSource(connection), (command, options) -> {
			if (command instanceof Command.KeyNotify) {
				registrations.incrementAndGet();
			}
			return connection.invoke(command, options);
		}, WatchOptions.DEFAULT, null, StateStoreObservability.NONE, new ClientResources());
	}

}
