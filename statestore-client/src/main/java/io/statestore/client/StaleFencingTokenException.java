package io.statestore.client;

import io.statestore.protocol.ErrorReason;

/**
 * Thrown when the store refuses a write because the key was written with a newer fencing
 * token (protocol section 5). Either the lock is no longer held, or another lock protects
 * the same key. The store was not changed. Do not retry the write with a newer token:
 * acquire the lock and read the key again.
 */
public class StaleFencingTokenException extends StateStoreRefusedException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message what failed, and how to respond
	 */
	public StaleFencingTokenException(String message) {
		super(ErrorReason.FENCING_TOKEN_LOWER_VERSION, message);
	}

}
