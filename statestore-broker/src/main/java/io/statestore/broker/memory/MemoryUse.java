package io.statestore.broker.memory;

/** Purposes for which clients hold server memory. */
public enum MemoryUse {

	/** A connection whose CONNECT has not arrived completely. */
	CONNECTING,

	/** A connection whose login is being verified. */
	LOGIN,

	/** A connection that has been accepted. */
	CONNECTION,

	/** A packet that has not arrived completely. */
	INCOMING,

	/** Messages waiting to be sent to a client. */
	OUTGOING,

	/** Watched keys. */
	OBSERVATION,

	/** Clients of a gateway, which are connected to the gateway's broker. */
	GATEWAY_CLIENT,

	/** Subscriptions of sessions that end with their connection. */
	SUBSCRIPTION,

	/**
	 * Sessions that outlive their connections, with their subscriptions and messages.
	 * Limited by the session state machine rather than here.
	 */
	SESSION,

	/** Retained messages. Limited by the session state machine rather than here. */
	RETAINED

}
