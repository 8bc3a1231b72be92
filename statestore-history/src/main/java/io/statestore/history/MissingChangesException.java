package io.statestore.history;

/**
 * Thrown when changes are missing in a history. The stream continues after them with the
 * next call.
 */
public final class MissingChangesException extends HistoryException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message which changes are missing, and the next step
	 */
	public MissingChangesException(String message) {
		super(message);
	}

}
