package io.statestore.cluster;

/**
 * Thrown when leadership ended while an entry was in flight. A later leader may or may
 * not commit the entry.
 */
public final class OutcomeUnknownException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	OutcomeUnknownException(String message) {
		super(message);
	}

}
