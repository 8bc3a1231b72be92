package io.statestore.client.mqtt.internal;

import java.util.Objects;

import io.statestore.client.mqtt.StateStoreConnection;

/** Publishes messages over the connection of an application. */
public final class Publisher {

	private Publisher() {
	}

	public static void publish(StateStoreConnection connection, LinkMessage message) {
		Objects.requireNonNull(ConnectionAccess.of(connection).link()).publish(message, (reasonCode) -> {
		});
	}

}
