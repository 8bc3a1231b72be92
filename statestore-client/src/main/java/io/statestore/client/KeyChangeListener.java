package io.statestore.client;

/**
 * Listener for a watched key's changes. It is called in version order, one change at a
 * time, and never on a network thread. It may block and call the state store, which
 * delays only its own subsequent changes.
 *
 * @param <T> the type of the value
 */
@FunctionalInterface
public interface KeyChangeListener<T> {

	/**
	 * Handles a change.
	 * @param change the change
	 * @throws Exception if the change cannot be processed. The exception is passed to the
	 * {@link KeyChangeErrorHandler}, and delivery continues with the next change
	 */
	void onChange(KeyChange<T> change) throws Exception;

}
