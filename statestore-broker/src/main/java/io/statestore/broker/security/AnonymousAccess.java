package io.statestore.broker.security;

/** Clients that may connect without logging in. */
public enum AnonymousAccess {

	/** No client. */
	NONE,

	/** Clients on the machine of the broker, which connect from a loopback address. */
	LOOPBACK,

	/** All clients that can reach the broker. */
	ALL

}
