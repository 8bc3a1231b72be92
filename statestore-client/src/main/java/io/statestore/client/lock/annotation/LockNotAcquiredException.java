package io.statestore.client.lock.annotation;

import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a {@link Locked} method is called but its lock could not be acquired. The
 * method was not invoked, so the call can be repeated.
 */
public final class LockNotAcquiredException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	private final transient Key key;

	LockNotAcquiredException(Key key, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.key = key;
	}

	/**
	 * Returns the lock's key in the store.
	 * @return the key, including all prefixes
	 */
	public Key key() {
		return this.key;
	}

}
