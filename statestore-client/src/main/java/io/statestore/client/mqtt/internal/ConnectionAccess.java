package io.statestore.client.mqtt.internal;

import java.util.Objects;
import java.util.function.Function;

import io.statestore.client.mqtt.StateStoreConnection;
import org.jspecify.annotations.Nullable;

/**
 * Access of other packages of this project to what is behind a
 * {@link StateStoreConnection}.
 */
public final class ConnectionAccess {

	/** Set by the class initializer of the connection. */
	private static volatile @Nullable Function<StateStoreConnection, MqttConnection> access;

	private ConnectionAccess() {
	}

	/**
	 * Allows the access. Called once, before there is any connection.
	 * @param access returns what is behind a connection
	 */
	public static void allow(Function<StateStoreConnection, MqttConnection> access) {
		ConnectionAccess.access = access;
	}

	/**
	 * Returns what is behind a connection.
	 * @param connection the connection of the application
	 * @return the connection for this project
	 */
	public static MqttConnection of(StateStoreConnection connection) {
		return Objects.requireNonNull(access).apply(connection);
	}

}
