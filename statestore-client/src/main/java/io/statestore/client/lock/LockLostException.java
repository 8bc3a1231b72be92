package io.statestore.client.lock;

import io.statestore.client.Key;
import io.statestore.client.StateStoreException;

/**
 * Thrown when an operation requires a lock that is lost. Nothing was sent to the store.
 * The caller should stop the work that the lock protects. To continue, acquire the lock
 * again and start from the stored state.
 */
public final class LockLostException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	private final transient LockLostEvent loss;

	LockLostException(LockLostEvent loss) {
		super("Lock '" + loss.key() + "' was lost: " + loss.description()
				+ ". Acquire it again, and start from the stored state", loss.cause());
		this.loss = loss;
	}

	/** Creates an exception for a write without a fencing token. */
	LockLostException(LockLostEvent loss, Key written) {
		super("The write of key " + written.quoted() + " was not sent: its thread still runs a section of lock '"
				+ loss.key() + "', which was lost: " + loss.description() + ". Call unlock() on this thread, or return "
				+ "from the section. Then acquire it again, and start from the stored state. If the lock does not "
				+ "protect this key, use template.withoutLockCheck()", loss.cause());
		this.loss = loss;
	}

	/**
	 * Returns how the lock was lost.
	 * @return the loss
	 */
	public LockLostEvent loss() {
		return this.loss;
	}

}
