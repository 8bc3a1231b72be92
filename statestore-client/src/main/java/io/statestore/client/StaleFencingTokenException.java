package io.statestore.client;

import io.statestore.protocol.ErrorReason;

/**
 * Thrown when the store refused a write because a newer fencing token has written the key
 * (protocol section 5). Either the lock is no longer held, or another lock protects the
 * same key. Nothing has changed in the store. Do not repeat the write with a newer token;
 * start again from the stored state.
 */
public class StaleFencingTokenException extends StateStoreRefusedException {

	private static final long serialVersionUID = 1L;

	public StaleFencingTokenException(String message) {
		super(ErrorReason.FENCING_TOKEN_LOWER_VERSION, message);
	}

}
