package io.statestore.client.lock;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import org.jspecify.annotations.Nullable;

/**
 * Loss of a lock before its release.
 *
 * @param key the lock's key
 * @param token the lost tenure's fencing token
 * @param reason why the lock was lost
 * @param cause failure that led to the loss, for example the failure of the latest
 * renewal; {@code null} for none
 */
public record LockLostEvent(Key key, FencingToken token, Reason reason, @Nullable Throwable cause) {

	/**
	 * Creates a loss without a cause.
	 * @param key the lock's key
	 * @param token the lost tenure's fencing token
	 * @param reason why the lock was lost
	 */
	public LockLostEvent(Key key, FencingToken token, Reason reason) {
		this(key, token, reason, null);
	}

	/**
	 * Returns the reason and the cause for logs and messages, for example "its lease
	 * ended before a renewal was confirmed (No reply to SET within 5.0 s)".
	 * @return the description
	 */
	public String description() {
		return (this.cause != null) ? this.reason + " (" + this.cause.getMessage() + ")" : this.reason.toString();
	}

	/** Reasons why a lock is lost. */
	public enum Reason {

		/**
		 * No renewal was confirmed before the lease ended: the connection was lost, the
		 * store did not answer, the store refused to show the key, or this process was
		 * paused.
		 */
		EXPIRED("its lease ended before a renewal was confirmed"),

		/**
		 * The lock's maximum hold time has passed, see
		 * {@link FencedLock#withMaxHold(java.time.Duration)}.
		 */
		HOLD_ENDED("its maximum hold was over"),

		/** Another holder has the lock. */
		TAKEN("another holder has it"),

		/** The lock's key was deleted, or the store has lost it. */
		DELETED("its key is no longer in the store"),

		/**
		 * The key still names this holder, but its version is newer than the latest
		 * confirmed renewal's version, and the connection was interrupted in between. An
		 * unconfirmed renewal has either extended the lease or created the key again
		 * after a deletion. Because these cases cannot be distinguished, the lock counts
		 * as lost.
		 */
		UNCERTAIN("an unconfirmed renewal may have created its key again after a deletion"),

		/**
		 * The store refused a renewal, for example because this client is not authorized.
		 */
		REFUSED("the store refused to renew it"),

		/** The store refused a fenced write because the written key has a newer token. */
		FENCED("the store refused its fencing token"),

		/**
		 * The lock was released. Listeners are not notified of this reason. It occurs
		 * only in a {@link LockLostException} thrown when a tenure is used after its end.
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
		 * An operator has freed the lock through its holder's registry. If the lock is
		 * freed through a registry in another process, the reason is {@link #DELETED}.
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
