package io.statestore.broker.memory;

/** Purposes for which clients hold memory of the server. */
public enum MemoryUse {

	/** A connection whose CONNECT has not arrived completely. */
	CONNECTING,

	/** A connection whose login is being verified. */
	LOGIN,

	/** A connection that has been accepted. */
	CONNECTION,

	/** A packet that has not arrived completely. */
	INCOMING,

	/** Messages that wait to be sent to a client. */
	OUTGOING,

	/** Watched keys. */
	OBSERVATION,

	/** Clients of a gateway. Their connections are to its broker. */
	GATEWAY_CLIENT,

	/** Subscriptions of sessions that end with their connection. */
	SUBSCRIPTION,

	/**
	 * Sessions that outlive their connections, with their subscriptions and messages. Not
	 * refused here, but by the state machine of sessions.
	 */
	SESSION,

	/** Retained messages, likewise. */
	RETAINED

}
