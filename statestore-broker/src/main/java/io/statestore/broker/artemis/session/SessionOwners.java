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
	 * @param request the request
	 * @return the result
	 */
	ClaimResult claim(String clientId, ClaimRequest request) {
		String principal = request.principal();
		Owner owner = this.owners.compute(clientId, (id, known) -> {
			if (known == null) {
				return new Owner(principal, 1, request.arrival());
			}
			boolean free = known.principal().equals(principal) ? request.arrival() > known.latest()
					: isAbandoned(id, known, request.adopts());
			return free ? new Owner(principal, known.connections() + 1, request.arrival()) : known;
		});
		if (!owner.principal().equals(principal)) {
			return ClaimResult.OTHER_OWNER;
		}
		return (owner.latest() == request.arrival()) ? ClaimResult.GRANTED : ClaimResult.SUPERSEDED;
	}

	/** Returns whether another principal may use a client id. */
	private boolean isAbandoned(String clientId, Owner owner, boolean adopts) {
		return owner.connections() == 0
				&& (adopts && owner.principal().equals(StoredSession.ANONYMOUS) || !this.hasSession.test(clientId));
	}

	/**
	 * Releases a client id after the end of a connection that has claimed it.
	 * @param clientId id of the client in Artemis
	 */
	void release(String clientId) {
		this.owners.computeIfPresent(clientId,
				(id, owner) -> new Owner(owner.principal(), owner.connections() - 1, owner.latest()));
	}

	/**
	 * Restores the owner of a session of an earlier process.
	 * @param clientId id of the client in Artemis
	 * @param principal name of its principal
	 */
	void recovered(String clientId, String principal) {
		this.owners.put(clientId, new Owner(principal, 0, 0));
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
	 * @param latest arrival number of the latest connection
	 */
	private record Owner(String principal, int connections, long latest) {
	}

}
