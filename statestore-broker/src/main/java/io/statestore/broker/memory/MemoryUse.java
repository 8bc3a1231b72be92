package io.statestore.broker.memory;

/** Purposes for which clients hold memory of the server. */
public enum MemoryUse {

	/** A connection whose CONNECT has not arrived completely. */
	CONNECTING,

	/** A connection that has been accepted. */
	CONNECTION,

	/** A packet that has not arrived completely. */
	INCOMING,

	/** Messages that wait for a client to take them. */
	OUTGOING,

	/** Observed keys. */
	OBSERVATION,

	/** Clients behind a gateway, whose connections it does not see. */
	GATEWAY_CLIENT,

	/** Topics on which messages were published lately. */
	TOPIC,

	/** Subscriptions of sessions that end with their connection. */
	SUBSCRIPTION,

	/** Sessions that outlive their connections, with their subscriptions. */
	SESSION,

	/** Retained messages. */
	RETAINED;

	/** Returns whether such memory is held without a connection. */
	boolean isLasting() {
		return this == SESSION || this == RETAINED;
	}

}
