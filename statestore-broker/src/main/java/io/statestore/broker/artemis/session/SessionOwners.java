package io.statestore.broker.artemis.session;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;

import io.statestore.broker.artemis.disk.StoredSession;

/**
 * Owners of client ids. A client id belongs to a principal while a connection or session
 * with this id exists. Thread-safe.
 */
final class SessionOwners {

	/** Owners by client id in Artemis. */
	private final ConcurrentMap<String, Owner> owners = new ConcurrentHashMap<>();

	private final Predicate<String> hasSession;

	/**
	 * Creates owners.
	 * @param hasSession returns whether there is a session with a client id in Artemis
	 */
	SessionOwners(Predicate<String> hasSession) {
		this.hasSession = hasSession;
	}

	/**
	 * Reserves a client id for a connection.
	 * @param clientId id of the client in Artemis
	 * @param principal name of its principal
	 * @param adopts whether any principal may continue a session of an anonymous client
	 * @return {@code false} if the id belongs to another principal
	 */
	boolean claim(String clientId, String principal, boolean adopts) {
		Owner owner = this.owners.compute(clientId, (id, known) -> {
			int connections = (known != null) ? known.connections() : 0;
			boolean free = known == null || known.principal().equals(principal) || (connections == 0
					&& (adopts && known.principal().equals(StoredSession.ANONYMOUS) || !this.hasSession.test(id)));
			return free ? new Owner(principal, connections + 1) : known;
		});
		return owner.principal().equals(principal);
	}

	/**
	 * Releases a client id after the end of a connection that has claimed it.
	 * @param clientId id of the client in Artemis
	 */
	void release(String clientId) {
		this.owners.computeIfPresent(clientId, (id, owner) -> new Owner(owner.principal(), owner.connections() - 1));
	}

	/**
	 * Restores the owner of a session of an earlier process.
	 * @param clientId id of the client in Artemis
	 * @param principal name of its principal
	 */
	void recovered(String clientId, String principal) {
		this.owners.put(clientId, new Owner(principal, 0));
	}

	/**
	 * Returns the name of the principal that a session belongs to.
	 * @param clientId id of the client in Artemis
	 */
	String of(String clientId) {
		Owner owner = this.owners.get(clientId);
		return (owner != null) ? owner.principal() : StoredSession.ANONYMOUS;
	}

	/** Frees the client ids whose connections and sessions have ended. */
	void sweep() {
		// While an entry is computed, no connection can claim its client id.
		this.owners.keySet()
			.forEach((clientId) -> this.owners.computeIfPresent(clientId,
					(id, owner) -> (owner.connections() == 0 && !this.hasSession.test(id)) ? null : owner));
	}

	/**
	 * Owner of a client id.
	 *
	 * @param principal name of the principal
	 * @param connections number of open connections with the client id
	 */
	private record Owner(String principal, int connections) {
	}

}
