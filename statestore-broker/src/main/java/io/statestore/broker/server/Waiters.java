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
 * A client that only watches one of the locks cannot be distinguished from a waiter, so
 * it counts, too. A client counts once, or twice if it has two connections during a
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

	/** Whether no watch shows the successor. */
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
		ClientConnection connection = (successor != null) ? latest(successor, connections) : null;
		boolean found = connection != null && contains(connection);
		// A successor watches the lock. If its client is unknown, it may be any of the
		// watchers.
		boolean anonymous = successor != null && successor.client() == null
				&& this.lockWatchers.stream().anyMatch((watcher) -> watcher != this.holder);
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

	/**
	 * Returns the number of waiters. Usually only a few clients watch the lock itself, so
	 * the time that this takes does not depend on the number of waiters.
	 */
	int count() {
		int count = this.successorWatchers.size();
		for (ClientConnection watcher : this.lockWatchers) {
			count += this.successorWatchers.contains(watcher) ? 0 : 1;
		}
		if (this.holder != null && contains(this.holder)) {
			count--;
		}
		return this.unwatched ? count + 1 : count;
	}

	/** Returns the successor's client id, or its name if its client is unknown. */
	@Nullable String successor() {
		return (this.successorId != null) ? ShortIds.shorten(this.successorId) : null;
	}

}
