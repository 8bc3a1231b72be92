package io.statestore.broker.server;

import java.util.concurrent.CompletableFuture;

import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.ClientQuery;
import io.statestore.protocol.ConnectedClient;
import io.statestore.protocol.SessionQuery;
import io.statestore.protocol.StoredSession;

/**
 * An administrator's operations on a broker's MQTT clients and sessions. Thread-safe. No
 * method blocks.
 * <p>
 * Internal: not part of the API.
 */
public interface SessionOperations {

	/**
	 * Returns a page of the connected clients.
	 * @param query the request
	 * @return completes on another thread, because a page takes longer the more clients
	 * there are
	 */
	CompletableFuture<AdministrationPage<ConnectedClient>> page(ClientQuery query);

	/**
	 * Returns a page of the stored sessions.
	 * @param query the request
	 * @return completes on another thread, because a page takes longer the more sessions
	 * there are
	 */
	CompletableFuture<AdministrationPage<StoredSession>> page(SessionQuery query);

	/**
	 * Ends a session, stored or not, and disconnects its client.
	 * @param clientId the session's client id
	 * @return completes once the end is in the log, with whether there was a session.
	 * Completes exceptionally if the broker cannot end the session; the message contains
	 * the reason
	 */
	CompletableFuture<Boolean> end(String clientId);

}
