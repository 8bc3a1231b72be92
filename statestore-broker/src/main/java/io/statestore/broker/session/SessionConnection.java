package io.statestore.broker.session;

/**
 * A client's connection, as used by its session. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public interface SessionConnection {

	/**
	 * Accepts a message for sending, without blocking. Messages passed by the same thread
	 * are sent in call order. If the client's memory limit is reached, a message with QoS
	 * 0 is dropped, and any other message that is not queued in the session closes the
	 * connection.
	 * @param delivery the message. If it {@link Delivery#isReceived}, only PUBREL is sent
	 */
	void deliver(Delivery delivery);

}
