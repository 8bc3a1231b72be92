package io.statestore.broker.server;

import java.util.Collections;
import java.util.Set;

import io.statestore.broker.engine.LockState;
import io.statestore.broker.engine.Requester;
import io.statestore.protocol.LockNames;
import org.jspecify.annotations.Nullable;

/**
 * The clients that are waiting for a lock: the successor, the watchers of the successor
 * lock, and the watchers of the lock itself, for example clients that use other
 * libraries. The holder watches its lock, too.
 * <p>
 * Counting takes the same time for any number of watchers. In return, a client other than
 * the successor counts twice if it watches both locks or has two connections during a
 * takeover.
 */
final class Waiters {

	/** Watchers of the successor lock. */
	private final Set<ClientConnection> successorWatchers;

	/** Watchers of the lock, empty if the holder among them is unknown. */
	private final Set<ClientConnection> lockWatchers;

	private final @Nullable ClientConnection holder;

	/** Client id or name of the successor, {@code null} if there is none. */
	private final @Nullable String successorId;

	/** Connection of the successor, {@code null} if there is none or it is unknown. */
	private final @Nullable ClientConnection successor;

	/** Whether there is a successor that is not among the watchers. */
	private final boolean unwatched;

	/**
	 * Creates the waiters of a lock.
	 * @param successor the successor lock, or {@code null} if it is free
	 */
	Waiters(LockState lock, @Nullable LockState successor, Connections connections, Watches watches) {
		Set<ClientConnection> watchers = watches.ofKey(lock.key());
		this.successorWatchers = watches.ofKey(LockNames.successor(lock.key()));
		this.holder = latest(lock, connections);
		boolean holderKnown = lock.client() != null || (this.holder != null && watchers.contains(this.holder));
		this.lockWatchers = holderKnown ? watchers : Collections.emptySet();
		String name = (successor != null) ? holderId(successor) : null;
		// A successor that has just acquired the lock releases the successor lock a
		// moment later.
		boolean absent = successor == null || isSame(lock, successor);
		this.successorId = absent ? null : name;
		this.successor = (successor != null && !absent) ? latest(successor, connections) : null;
		boolean found = this.successor != null && contains(this.successor);
		// A successor watches the lock. If its client is unknown, any of the watchers may
		// be the successor.
		boolean anonymous = successor != null && successor.client() == null && count(this.lockWatchers) > 0;
		this.unwatched = this.successorId != null && !found && !anonymous;
	}

	/**
	 * Returns a holder's client id, or its name, which is the client id by default.
	 */
	private static String holderId(LockState lock) {
		Requester client = lock.client();
		return (client != null) ? client.clientId() : LockNames.holderName(lock.holder()).toUtf8();
	}

	/**
	 * Returns whether two locks appear to have the same holder, compared by client where
	 * known.
	 */
	private static boolean isSame(LockState lock, LockState successor) {
		Requester holder = lock.client();
		Requester next = successor.client();
		return (holder != null && next != null) ? holder.equals(next) : holderId(lock).equals(holderId(successor));
	}

	private static @Nullable ClientConnection latest(LockState lock, Connections connections) {
		Requester client = lock.client();
		return (client != null) ? connections.latest(client) : connections.latest(holderId(lock));
	}

	private boolean contains(ClientConnection connection) {
		return this.successorWatchers.contains(connection) || this.lockWatchers.contains(connection);
	}

	private int count(Set<ClientConnection> watchers) {
		return watchers.size() - ((this.holder != null && watchers.contains(this.holder)) ? 1 : 0);
	}

	/** Returns the number of waiters. */
	int count() {
		int count = count(this.successorWatchers) + count(this.lockWatchers);
		if (this.unwatched) {
			count++;
		}
		else if (this.successor != null && this.successorWatchers.contains(this.successor)
				&& this.lockWatchers.contains(this.successor)) {
			count--;
		}
		return count;
	}

	/** Returns the successor's client id, or its name if its client is unknown. */
	@Nullable String successor() {
		return (this.successorId != null) ? ShortIds.shorten(this.successorId) : null;
	}

}
