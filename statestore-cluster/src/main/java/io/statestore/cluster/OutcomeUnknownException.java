package io.statestore.cluster;

/**
 * Thrown when the leadership ended while an entry was in flight. A later leader may
 * commit the entry, or not.
 */
public final class OutcomeUnknownException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	OutcomeUnknownException(String message) {
		super(message);
	}

}
