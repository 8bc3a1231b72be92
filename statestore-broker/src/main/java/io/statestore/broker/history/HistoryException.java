package io.statestore.broker.history;

/** Thrown if a history request cannot be answered. Clients receive the message. */
public final class HistoryException extends RuntimeException {

	HistoryException(String message) {
		super(message);
	}

}
