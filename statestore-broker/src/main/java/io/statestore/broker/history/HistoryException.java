package io.statestore.broker.history;

/** A request for the history that cannot be answered. Clients receive its message. */
public final class HistoryException extends RuntimeException {

	HistoryException(String message) {
		super(message);
	}

}
