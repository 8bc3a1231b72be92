package io.statestore.broker.codec;

/**
 * Thrown when an entry of the command log or a snapshot cannot be decoded. The message
 * states the reason and explains how to fix the problem.
 * <p>
 * Internal: not part of the API.
 */
public final class StateFormatException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message the reason, and how to fix the problem
	 */
	public StateFormatException(String message) {
		super(message);
	}

}
