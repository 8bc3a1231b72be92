package io.statestore.broker.artemis.session;

import java.util.HashSet;
import java.util.Set;

/**
 * Packet identifiers of received QoS 2 messages that the client has not released with a
 * PUBREL. Artemis keeps them, so that it does not deliver a repeated message again. Not
 * thread-safe.
 */
final class UnreleasedIds {

	/** Estimated heap of an identifier in a set of Artemis and in this one. */
	static final long COST = 128;

	private final Set<Integer> ids = new HashSet<>();

	/**
	 * Identifiers of earlier connections, until it is known whether the session
	 * continues.
	 */
	private final Set<Integer> earlier = new HashSet<>();

	/** Returns whether a message repeats one that the session has received. */
	boolean isRepetition(int id) {
		return this.ids.contains(id) && !this.earlier.contains(id);
	}

	/** Returns whether memory is reserved for an identifier. */
	boolean contains(int id) {
		return this.ids.contains(id);
	}

	/** Adds the identifier of a message received on the current connection. */
	void add(int id) {
		this.ids.add(id);
		this.earlier.remove(id);
	}

	/**
	 * Removes an identifier.
	 * @return the bytes to release
	 */
	long remove(int id) {
		this.earlier.remove(id);
		return this.ids.remove(id) ? COST : 0;
	}

	/**
	 * Removes all identifiers.
	 * @return the bytes to release
	 */
	long clear() {
		long bytes = bytes();
		this.ids.clear();
		this.earlier.clear();
		return bytes;
	}

	/** Handles a new connection. All identifiers belong to earlier connections. */
	void reconnecting() {
		this.earlier.clear();
		this.earlier.addAll(this.ids);
	}

	/**
	 * Handles the start of the session on a new connection.
	 * @param present whether the session continues. If not, the identifiers of earlier
	 * connections are removed.
	 * @return the bytes to release
	 */
	long reconnected(boolean present) {
		long released = 0;
		if (!present) {
			released = COST * this.earlier.size();
			this.ids.removeAll(this.earlier);
		}
		this.earlier.clear();
		return released;
	}

	/** Returns the estimated heap of all identifiers in bytes. */
	long bytes() {
		return COST * this.ids.size();
	}

}
