package io.statestore.broker.security;

/** Clients that may connect without logging in. */
public enum AnonymousAccess {

	/** No clients. */
	NONE,

	/** Clients on the broker's machine, which connect from a loopback address. */
	LOOPBACK,

	/** All clients that can reach the broker. */
	ALL

}
