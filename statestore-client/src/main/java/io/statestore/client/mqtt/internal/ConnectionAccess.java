package io.statestore.client.mqtt.internal;

import java.util.Objects;
import java.util.function.Function;

import io.statestore.client.mqtt.StateStoreConnection;
import org.jspecify.annotations.Nullable;

/**
 * Gives other packages of this project access to the implementation of a
 * {@link StateStoreConnection}.
 */
public final class ConnectionAccess {

	/** Set by the class initializer of the connection. */
	private static volatile @Nullable Function<StateStoreConnection, MqttConnection> access;

	private ConnectionAccess() {
	}

	/**
	 * Allows the access. Called once, before there is any connection.
	 * @param access returns the implementation of a connection
	 */
	public static void allow(Function<StateStoreConnection, MqttConnection> access) {
		ConnectionAccess.access = access;
	}

	/**
	 * Returns the implementation of a connection.
	 * @param connection the connection of the application
	 * @return its implementation
	 */
	public static MqttConnection of(StateStoreConnection connection) {
		return Objects.requireNonNull(access).apply(connection);
	}

}
