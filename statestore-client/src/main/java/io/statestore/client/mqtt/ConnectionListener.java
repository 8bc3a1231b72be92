package io.statestore.client.mqtt;

/**
 * Is told when the connection comes and goes. Called on the thread that supervises the
 * connection, one event at a time, so a listener must only hand over and never block. An
 * exception is logged and goes no further.
 */
public interface ConnectionListener {

	/**
	 * The connection is usable, and every subscription of
	 * {@link StateStoreConnection#addSubscription} has been asked for. The broker
	 * remembers nothing of an earlier connection.
	 * @param reconnect whether there was a connection before
	 */
	default void connected(boolean reconnect) {
	}

	/**
	 * The connection is gone.
	 * @param cause why, as shown in the log
	 */
	default void disconnected(String cause) {
	}

	/**
	 * The connection is about to be stopped by the application, on a thread of which this
	 * is called. The end of the connection follows if there is one.
	 */
	default void stopping() {
	}

}
