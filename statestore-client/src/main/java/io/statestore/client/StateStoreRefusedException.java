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

	/** Of the type that goes with the reason. */
	public static StateStoreRefusedException of(ErrorReason reason, String message) {
		return (reason == ErrorReason.FENCING_TOKEN_LOWER_VERSION) ? new StaleFencingTokenException(message)
				: new StateStoreRefusedException(reason, message);
	}

	/** Why. */
	public ErrorReason reason() {
		return this.reason;
	}

}
