package io.statestore.broker.server;

import java.util.concurrent.CompletableFuture;

import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.ClientQuery;
import io.statestore.protocol.ConnectedClient;
import io.statestore.protocol.SessionQuery;
import io.statestore.protocol.StoredSession;

/**
 * What an administrator can do with the MQTT clients and sessions of a broker.
 * Thread-safe. No method waits.
 * <p>
 * Internal: not part of the API.
 */
public interface SessionOperations {

	/**
	 * Returns a page of the connected clients.
	 * @param query the request
	 * @return completes on another thread, because a page takes the longer the more
	 * clients there are
	 */
	CompletableFuture<AdministrationPage<ConnectedClient>> page(ClientQuery query);

	/**
	 * Returns a page of the stored sessions.
	 * @param query the request
	 * @return completes as for clients
	 */
	CompletableFuture<AdministrationPage<StoredSession>> page(SessionQuery query);

	/**
	 * Ends a session, stored or not, and disconnects its client.
	 * @param clientId the client id
	 * @return completes with whether there was a session, when the end is in the log.
	 * Completes exceptionally if the broker cannot end it; the message contains the
	 * reason
	 */
	CompletableFuture<Boolean> end(String clientId);

}
