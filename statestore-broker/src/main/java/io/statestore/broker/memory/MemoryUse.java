package io.statestore.broker.memory;

/** Purposes for which clients hold memory of the server. */
public enum MemoryUse {

	/** The connection itself. */
	CONNECTION,

	/** A packet that has not arrived completely. */
	INCOMING,

	/** Messages that wait for a client to take them. */
	OUTGOING,

	/** Observed keys. */
	OBSERVATION,

	/** Clients behind a gateway, whose connections it does not see. */
	GATEWAY_CLIENT

}
