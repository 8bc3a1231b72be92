package io.statestore.client;

import io.statestore.protocol.ErrorReason;

/**
 * Thrown when the store refused a write because a newer fencing token has written the key
 * (protocol section 5). Either the lock is no longer held, or another lock protects the
 * same key. The store was not changed. Do not retry the write with a newer token: acquire
 * the lock and read the key again.
 */
public class StaleFencingTokenException extends StateStoreRefusedException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message what failed and the next step
	 */
	public StaleFencingTokenException(String message) {
		super(ErrorReason.FENCING_TOKEN_LOWER_VERSION, message);
	}

}
