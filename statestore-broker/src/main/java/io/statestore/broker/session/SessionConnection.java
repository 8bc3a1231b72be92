package io.statestore.broker.session;

/**
 * The connection of a client as its session uses it. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public interface SessionConnection {

	/**
	 * Sends a message, in the order of the calls.
	 * @param delivery the message
	 */
	void deliver(Delivery delivery);

}
