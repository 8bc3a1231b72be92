package io.statestore.client.lock;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import org.jspecify.annotations.Nullable;

/**
 * Loss of a lock before its release.
 *
 * @param key of the lock
 * @param token of the tenure that ended
 * @param reason of the loss
 * @param cause failure that led to the loss, such as that of the latest renewal;
 * {@code null} if there is none
 */
public record LockLostEvent(Key key, FencingToken token, Reason reason, @Nullable Throwable cause) {

	/**
	 * Creates a loss without a cause.
	 * @param key of the lock
	 * @param token of the tenure that ended
	 * @param reason of the loss
	 */
	public LockLostEvent(Key key, FencingToken token, Reason reason) {
		this(key, token, reason, null);
	}

	/**
	 * Returns a description of the reason and the cause for logs and messages. Example:
	 * "its lease ended before a renewal was confirmed (No reply to SET within 5.0 s)".
	 * @return the description
	 */
	public String description() {
		return (this.cause != null) ? this.reason + " (" + this.cause.getMessage() + ")" : this.reason.toString();
	}

	/** Reason of a loss. */
	public enum Reason {

		/**
		 * No renewal was confirmed before the lease ended: the connection was lost, the
		 * store did not answer, or this process was paused.
		 */
		EXPIRED("its lease ended before a renewal was confirmed"),

		/**
		 * The maximum hold of the lock is over, see
		 * {@link FencedLock#withMaxHold(java.time.Duration)}.
		 */
		HOLD_ENDED("its maximum hold was over"),

		/** Another holder has the lock. */
		TAKEN("another holder has it"),

		/** The key of the lock was deleted, or the store has lost it. */
		DELETED("its key is no longer in the store"),

		/**
		 * The key still names this holder, but its version is newer than that of the
		 * latest confirmed renewal, and the connection was interrupted in between. An
		 * unconfirmed renewal has either extended the lease or created the key again
		 * after a deletion. The two cases cannot be distinguished, so the lock counts as
		 * lost.
		 */
		UNCERTAIN("an unconfirmed renewal may have created its key again after a deletion"),

		/**
		 * The store refused a renewal, for example because this client is not authorized.
		 */
		REFUSED("the store refused to renew it"),

		/** The store refused a fenced write because it knows a newer token. */
		FENCED("the store refused its fencing token"),

		/**
		 * The lock was released. Listeners are not notified of this reason. It only
		 * occurs in a {@link LockLostException} when a tenure is used after its end.
		 */
		RELEASED("it was released"),

		/**
		 * The {@link StateStoreLockRegistry} was stopped. The lock is no longer renewed.
		 * The store keeps it until its holder unlocks it or its lease ends.
		 */
		STOPPED("its registry was stopped"),

		/** The thread that held the lock ended without unlocking it. */
		ABANDONED("the thread that held it ended without unlocking it"),

		/**
		 * An operator has freed the lock through the registry of its holder. A holder in
		 * another process is notified of {@link #DELETED} instead.
		 */
		FORCED("an operator forced it free");

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
