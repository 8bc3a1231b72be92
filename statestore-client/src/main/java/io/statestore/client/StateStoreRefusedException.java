package io.statestore.client;

import io.statestore.protocol.ErrorReason;

/**
 * Thrown when the state store refused a command. The store was not changed.
 */
public class StateStoreRefusedException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	private final ErrorReason reason;

	/**
	 * Creates an exception.
	 * @param reason the store's reason
	 * @param message what was refused, and how to respond
	 */
	public StateStoreRefusedException(ErrorReason reason, String message) {
		super(message);
		this.reason = reason;
	}

	/**
	 * Returns an exception of the most specific type for a reason. It never returns a
	 * {@code StateStoreNotAuthorizedException}, which also needs a key.
	 * @param reason the store's reason
	 * @param message what was refused, and how to respond
	 * @return the exception
	 */
	public static StateStoreRefusedException of(ErrorReason reason, String message) {
		return (reason == ErrorReason.FENCING_TOKEN_LOWER_VERSION) ? new StaleFencingTokenException(message)
				: new StateStoreRefusedException(reason, message);
	}

	/**
	 * Returns why the store refused the command.
	 * @return the reason
	 */
	public ErrorReason reason() {
		return this.reason;
	}

}
