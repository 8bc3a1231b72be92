package io.statestore.listener;

/**
 * Thrown if two listeners have the same id. The message names both, and the next step.
 */
public final class DuplicateListenerException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	DuplicateListenerException(String message) {
		super(message);
	}

}
