package io.statestore.client;

/**
 * Is called with the changes of one observed key, in the order of their versions, one at
 * a time, never on a network thread. It may block and call the state store; meanwhile
 * only changes of its own key wait for it.
 *
 * @param <T> the type of the value
 */
@FunctionalInterface
public interface KeyChangeListener<T> {

	/**
	 * The key has changed.
	 * @throws Exception goes to the {@link KeyChangeErrorHandler}; the next change
	 * follows
	 */
	void onChange(KeyChange<T> change) throws Exception;

}
