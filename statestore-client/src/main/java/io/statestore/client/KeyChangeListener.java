package io.statestore.client;

/**
 * Listener for the changes of a watched key. It is called in the order of the versions,
 * one change at a time, and never on a network thread. It may block and call the state
 * store, which delays only its own further changes.
 *
 * @param <T> the type of the value
 */
@FunctionalInterface
public interface KeyChangeListener<T> {

	/**
	 * Handles a change.
	 * @param change the change
	 * @throws Exception if the change cannot be processed. The exception is passed to the
	 * {@link KeyChangeErrorHandler}, and the next change follows
	 */
	void onChange(KeyChange<T> change) throws Exception;

}
