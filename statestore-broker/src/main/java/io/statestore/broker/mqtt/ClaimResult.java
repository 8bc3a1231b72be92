package io.statestore.broker.mqtt;

/**
 * Result of a {@link ClaimRequest}.
 */
enum ClaimResult {

	/** The client id is reserved for the connection. */
	GRANTED,

	/** Another principal has a connection or session with the client id. */
	OTHER_OWNER,

	/** A connection of the same principal that has arrived later has the client id. */
	SUPERSEDED

}
