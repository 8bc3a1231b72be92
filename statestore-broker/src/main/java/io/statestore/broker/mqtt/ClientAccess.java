package io.statestore.broker.mqtt;

import io.statestore.broker.login.Logins;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.ClientPrincipal;

/**
 * Access of clients to a broker: their logins, and the client ids of their principals.
 * Thread-safe.
 *
 * @param logins verifies credentials
 * @param broker knows to whom sessions belong
 * @param anonymous the clients that may connect without a login
 */
record ClientAccess(Logins logins, OrdinaryBroker broker, AnonymousAccess anonymous) {

	/**
	 * Reserves a client id for a connection.
	 * @param clientId the client id
	 * @param principal the principal of the client
	 * @return {@code false} if it belongs to another principal
	 */
	boolean claim(String clientId, ClientPrincipal principal) {
		return this.broker.claim(clientId, principal.name(), this.anonymous == AnonymousAccess.NONE);
	}

	/**
	 * Releases a client id after the end of the connection that has claimed it.
	 * @param clientId the client id
	 */
	void release(String clientId) {
		this.broker.release(clientId);
	}

}
