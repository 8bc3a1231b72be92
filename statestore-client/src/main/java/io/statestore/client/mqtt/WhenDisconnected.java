package io.statestore.client.mqtt;

/** Behavior of calls without a connection. */
public enum WhenDisconnected {

	/** Waits for the connection, up to the deadline of the call. */
	WAIT,

	/**
	 * Fails at once with a {@link io.statestore.client.StateStoreNotSentException}. Calls
	 * wait only for the first attempt to connect, at most the
	 * {@linkplain ConnectionOptions#startTimeout() start timeout}. Calls that keep locks
	 * wait even so.
	 */
	FAIL

}
