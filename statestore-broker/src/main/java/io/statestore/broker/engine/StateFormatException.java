package io.statestore.broker.engine;

/**
 * Thrown when an entry of the command log or a snapshot cannot be decoded. The message
 * states the reason and the next step.
 */
public final class StateFormatException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message the reason and the next step
	 */
	public StateFormatException(String message) {
		super(message);
	}

}
