package io.statestore.broker.server;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

import io.statestore.broker.engine.Requester;
import org.jspecify.annotations.Nullable;

/**
 * Tracks open connections and the order of each client's requests. Requests that are not
 * logged wait for the same client's earlier logged requests. Used only within the serial
 * executor.
 */
final class Connections {

	private final CommandLog log;

	private final Map<ClientConnection, Client> clients = new IdentityHashMap<>();

	/** Clients by id. A client may have several open connections during a takeover. */
	private final Map<String, Client> clientsById = new HashMap<>();

	Connections(CommandLog log) {
		this.log = log;
	}

	void add(ClientConnection connection) {
		Client client = this.clientsById.computeIfAbsent(connection.clientId(), (absent) -> new Client());
		client.connections++;
		client.latest = connection;
		this.clients.put(connection, client);
	}

	void remove(ClientConnection connection) {
		Client client = this.clients.remove(connection);
		if (client == null) {
			return;
		}
		client.connections--;
		if (client.latest == connection) {
			client.latest = null;
		}
		if (client.connections == 0) {
			this.clientsById.remove(connection.clientId());
		}
	}

	/** Returns the number of open connections. */
	int count() {
		return this.clients.size();
	}

	/** Returns a client's latest connection, or {@code null} if it is closed. */
	@Nullable ClientConnection latest(String clientId) {
		Client client = this.clientsById.get(clientId);
		return (client != null) ? client.latest : null;
	}

	/**
	 * Returns a client's latest connection, or {@code null} if it is closed or its client
	 * id now belongs to another principal.
	 */
	@Nullable ClientConnection latest(Requester requester) {
		ClientConnection connection = latest(requester.clientId());
		return (connection != null && connection.requester().equals(requester)) ? connection : null;
	}

	/** Returns whether a connection is open. */
	boolean contains(ClientConnection connection) {
		return this.clients.containsKey(connection);
	}

	/**
	 * Makes a client's later requests wait for an entry.
	 * @param position the entry's position; the entry may already be applied
	 */
	void appended(ClientConnection connection, long position) {
		if (position > this.log.done()) {
			Client client = this.clients.get(connection);
			if (client != null) {
				client.last = position;
			}
		}
	}

	/** Returns whether an action would have to wait for the client's earlier requests. */
	boolean mustWait(ClientConnection connection) {
		Client client = this.log.isBusy() ? this.clients.get(connection) : null;
		return client != null && client.last > this.log.done();
	}

	/**
	 * Runs an action after all of a client's earlier requests, or immediately if there
	 * are none.
	 * @param bytes the number of bytes from clients that the action holds
	 */
	void inOrder(ClientConnection connection, int bytes, Runnable action) {
		Client client = this.log.isBusy() ? this.clients.get(connection) : null;
		if (client == null) {
			action.run();
		}
		else {
			this.log.after(client.last, action, bytes);
		}
	}

	/** The connections with one client id. */
	private static final class Client {

		private int connections;

		private @Nullable ClientConnection latest;

		/** Position of the last entry for which later requests wait. */
		private long last;

	}

}
