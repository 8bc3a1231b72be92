package io.statestore.broker.mqtt;

import io.netty.channel.Channel;
import io.statestore.broker.artemis.ClientIdClaim;
import io.statestore.broker.login.Logins;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.ClientPrincipal;
import org.jspecify.annotations.Nullable;

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
	 * @param connection the connection
	 * @param clientId the client id
	 * @param principal the principal of the client
	 * @return the claim, to be closed after the end of the connection, or {@code null} if
	 * the id belongs to another principal
	 */
	@Nullable ClientIdClaim claim(Channel connection, String clientId, ClientPrincipal principal) {
		return this.broker.claim(connection, clientId, principal.name(), this.anonymous == AnonymousAccess.NONE);
	}

}
