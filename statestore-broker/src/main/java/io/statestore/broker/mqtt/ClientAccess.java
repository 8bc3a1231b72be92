package io.statestore.broker.mqtt;

import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.login.Logins;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.Client;
import io.statestore.broker.server.ClientLog;
import org.slf4j.LoggerFactory;

/**
 * Access of clients to a broker: their logins, and the client ids of their principals.
 * Thread-safe.
 *
 * @param logins verifies credentials
 * @param broker knows to whom sessions belong
 * @param anonymous the clients that may connect without a login
 * @param arrivals number of CONNECTs that have arrived
 * @param log names refused clients
 */
record ClientAccess(Logins logins, OrdinaryBroker broker, AnonymousAccess anonymous, AtomicLong arrivals,
		ClientLog log) {

	ClientAccess(Logins logins, OrdinaryBroker broker, AnonymousAccess anonymous) {
		this(logins, broker, anonymous, new AtomicLong(), new ClientLog(LoggerFactory.getLogger(ClientAccess.class)));
	}

	/** Returns the number of a CONNECT that has just arrived. */
	long arrived() {
		return this.arrivals.incrementAndGet();
	}

	/**
	 * Reserves a client id for a connection.
	 * @param client the client
	 * @param arrival number of its CONNECT
	 * @return the claim, to be closed after the end of the connection
	 */
	ClientIdClaim claim(Client client, long arrival) {
		return this.broker.claim(new ClaimRequest(client.clientId(), client.principal().name(),
				this.anonymous == AnonymousAccess.NONE, arrival));
	}

}
