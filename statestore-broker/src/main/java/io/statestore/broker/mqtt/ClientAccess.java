package io.statestore.broker.mqtt;

import java.util.concurrent.atomic.AtomicLong;

import io.netty.channel.Channel;
import io.statestore.broker.artemis.ClientIdClaim;
import io.statestore.broker.artemis.session.ClaimRequest;
import io.statestore.broker.login.Logins;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.Client;

/**
 * Access of clients to a broker: their logins, and the client ids of their principals.
 * Thread-safe.
 *
 * @param logins verifies credentials
 * @param broker knows to whom sessions belong
 * @param anonymous the clients that may connect without a login
 * @param arrivals number of CONNECTs that have arrived
 */
record ClientAccess(Logins logins, OrdinaryBroker broker, AnonymousAccess anonymous, AtomicLong arrivals) {

	ClientAccess(Logins logins, OrdinaryBroker broker, AnonymousAccess anonymous) {
		this(logins, broker, anonymous, new AtomicLong());
	}

	/** Returns the number of a CONNECT that has just arrived. */
	long arrived() {
		return this.arrivals.incrementAndGet();
	}

	/**
	 * Reserves a client id for a connection.
	 * @param connection the connection
	 * @param client the client
	 * @param arrival number of its CONNECT
	 * @return the claim, to be closed after the end of the connection
	 */
	ClientIdClaim claim(Channel connection, Client client, long arrival) {
		return this.broker.claim(connection, new ClaimRequest(client.clientId(), client.principal().name(),
				this.anonymous == AnonymousAccess.NONE, arrival));
	}

}
