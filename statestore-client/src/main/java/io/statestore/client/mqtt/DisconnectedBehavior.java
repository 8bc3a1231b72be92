package io.statestore.client.mqtt;

/** Behavior of calls while there is no connection. */
public enum DisconnectedBehavior {

	/** Calls wait for a connection until they time out. */
	WAIT,

	/**
	 * Calls fail immediately with a
	 * {@link io.statestore.client.StateStoreNotSentException}, except during the first
	 * attempt to connect, for which they wait at most the
	 * {@linkplain ConnectionOptions#startTimeout() start timeout}. With several hosts,
	 * this includes further attempts, because a cluster may be electing a leader, unless
	 * a broker has refused the client, or TLS has failed. Calls that keep locks wait in
	 * any case.
	 */
	FAIL

}
