package io.statestore.broker.mqtt;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.session.Session;
import io.statestore.broker.session.Sessions;
import org.jspecify.annotations.Nullable;

/**
 * Tracks which principal owns each client id, by its connection or session. Thread-safe.
 */
final class ClientIdOwners {

	/** Owners of connections and sessions, by client id. */
	private final Map<String, Owner> owners = new ConcurrentHashMap<>();

	private final Sessions sessions;

	/**
	 * Whether any principal may continue an anonymous client's session, because anonymous
	 * clients are no longer allowed.
	 */
	private final boolean adopts;

	/** Number of CONNECT packets that have arrived. */
	private final AtomicLong arrivals = new AtomicLong();

	ClientIdOwners(Sessions sessions, boolean adopts) {
		this.sessions = sessions;
		this.adopts = adopts;
	}

	/** Numbers a CONNECT that has just arrived. */
	long arrived() {
		return this.arrivals.incrementAndGet();
	}

	/**
	 * Reserves a client id for a connection, before its CONNECT is executed.
	 * @param client the authenticated client
	 * @param arrival number of its CONNECT
	 * @return {@code null} if the client id is now reserved, until it is
	 * {@linkplain #release released}; otherwise the reason why not
	 */
	@Nullable Refusal claim(Client client, long arrival) {
		AtomicReference<@Nullable Refusal> refusal = new AtomicReference<>();
		String principal = client.principal().name();
		this.owners.compute(client.clientId(), (id, owner) -> {
			refusal.set(refusal(id, principal, owner, arrival));
			if (refusal.get() != null) {
				return owner;
			}
			return new Owner(principal, ((owner != null) ? owner.connections : 0) + 1, arrival);
		});
		return refusal.get();
	}

	private @Nullable Refusal refusal(String clientId, String principal, @Nullable Owner owner, long arrival) {
		Session session = this.sessions.find(clientId);
		boolean connected = owner != null && owner.connections > 0;
		String current = (owner != null && connected) ? owner.principal
				: (session != null) ? session.principal() : null;
		if (current == null) {
			return null;
		}
		boolean adopted = !connected && current.isEmpty() && this.adopts;
		if (!current.equals(principal) && !adopted) {
			return new Refusal(new ClientPrincipal(current));
		}
		return (owner != null && arrival < owner.latest) ? Refusal.SUPERSEDED : null;
	}

	/** Releases a client id after the end of the connection that reserved it. */
	void release(String clientId) {
		this.owners.computeIfPresent(clientId,
				(id, owner) -> new Owner(owner.principal, owner.connections - 1, owner.latest));
	}

	/** Removes owners whose client id has neither a connection nor a session. */
	void sweep() {
		this.owners.keySet()
			.forEach((clientId) -> this.owners.computeIfPresent(clientId,
					(id, owner) -> (owner.connections == 0 && this.sessions.find(id) == null) ? null : owner));
	}

	/**
	 * The reason why a client id is not reserved.
	 *
	 * @param owner another principal that has a connection or session with the client id,
	 * {@code null} if the same principal has a connection that arrived later
	 */
	record Refusal(@Nullable ClientPrincipal owner) {

		private static final Refusal SUPERSEDED = new Refusal(null);

		/** Returns whether the client has connected again in the meantime. */
		boolean isSuperseded() {
			return this.owner == null;
		}

	}

	/**
	 * The owner of a client id.
	 *
	 * @param principal the owner's name
	 * @param connections number of open connections with the client id
	 * @param latest arrival number of the latest connection
	 */
	private record Owner(String principal, int connections, long latest) {
	}

}
