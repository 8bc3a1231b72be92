package io.statestore.client.mqtt;

/**
 * Listener for the beginning and the end of the connection. Called on the thread that
 * supervises the connection, one event at a time. A listener must hand events over
 * without blocking. Its exceptions are logged.
 */
public interface ConnectionListener {

	/**
	 * Called when the connection is usable. The broker has no state of an earlier
	 * connection.
	 * @param reconnect whether there was a connection before
	 */
	default void connected(boolean reconnect) {
	}

	/**
	 * Called when the connection has ended.
	 * @param cause the cause, as shown in the log
	 */
	default void disconnected(String cause) {
	}

	/**
	 * Called before the application stops the connection, on the thread of the
	 * application. If there is a connection, {@link #disconnected} follows.
	 */
	default void stopping() {
	}

}
