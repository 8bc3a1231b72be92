package io.statestore.broker.session;

/**
 * The connection of a client as its session uses it. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public interface SessionConnection {

	/**
	 * Accepts a message for sending, without blocking. Messages passed by one thread are
	 * sent in the order of its calls. If the client's memory limit is reached, a message
	 * with QoS 0 is dropped, and any other message that is not queued in the session ends
	 * the connection.
	 * @param delivery the message. Only a PUBREL is sent if it
	 * {@link Delivery#isReceived}
	 */
	void deliver(Delivery delivery);

}
