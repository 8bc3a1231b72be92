package io.statestore.client;

import io.statestore.protocol.ErrorReason;

/** The state store answered no, and nothing has changed in it. */
public class StateStoreRefusedException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	private final ErrorReason reason;

	public StateStoreRefusedException(ErrorReason reason, String message) {
		super(message);
		this.reason = reason;
	}

	/** Why. */
	public ErrorReason reason() {
		return this.reason;
	}

}
