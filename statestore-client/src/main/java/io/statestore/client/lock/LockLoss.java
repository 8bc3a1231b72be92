package io.statestore.client.lock;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;

/**
 * A lock was lost before it was released.
 *
 * @param key of the lock
 * @param token of the tenure that ended
 * @param reason how it was found out
 */
public record LockLoss(Key key, FencingToken token, Reason reason) {

	/** How a loss was found out. */
	public enum Reason {

		/**
		 * No renewal was confirmed before the lease ended: the connection was away, the
		 * store did not answer, or this process was paused.
		 */
		EXPIRED("its lease ended before a renewal was confirmed"),

		/** Somebody else holds the lock. */
		TAKEN("somebody else holds it"),

		/** Somebody deleted the key of the lock, or the store has lost it. */
		DELETED("its key is gone from the store"),

		/** The store refused a write that was fenced by the token: a newer one exists. */
		FENCED("the store refused its fencing token"),

		/**
		 * It was released. No loss, and told by {@link LockLostException} alone, to who
		 * still uses a tenure that has ended.
		 */
		RELEASED("it was released"),

		/**
		 * The {@link StateStoreLockRegistry} was stopped. The lock is no longer renewed;
		 * the store keeps it until the section unlocks it or its lease ends.
		 */
		STOPPED("its registry was stopped"),

		/** The thread that held the lock ended without unlocking it. */
		ABANDONED("the thread that held it ended without unlocking it");

		private final String description;

		Reason(String description) {
			this.description = description;
		}

		@Override
		public String toString() {
			return this.description;
		}

	}

}
