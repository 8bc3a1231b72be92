package io.statestore.broker.artemis.session;

/**
 * Result of a {@link ClaimRequest}.
 * <p>
 * Internal: not part of the API.
 */
public enum ClaimResult {

	/** The client id is reserved for the connection. */
	GRANTED,

	/** Another principal has a connection or session with the client id. */
	OTHER_OWNER,

	/** A connection of the same principal that has arrived later has the client id. */
	SUPERSEDED

}
