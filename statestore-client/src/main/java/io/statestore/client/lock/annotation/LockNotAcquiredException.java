package io.statestore.client.lock.annotation;

import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a call of a {@link Locked} method whose lock was not acquired. The method was
 * not called, so the call can be repeated.
 */
public final class LockNotAcquiredException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	private final transient Key key;

	LockNotAcquiredException(Key key, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.key = key;
	}

	/**
	 * Returns the key of the lock in the store.
	 * @return the key
	 */
	public Key key() {
		return this.key;
	}

}
