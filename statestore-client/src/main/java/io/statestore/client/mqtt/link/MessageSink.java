package io.statestore.client.mqtt.link;

/** Receives the messages of a subscription on a network thread. */
@FunctionalInterface
public interface MessageSink {

	/**
	 * Called for each message, in the order of arrival. Must hand the message over
	 * without blocking. Exceptions are logged.
	 * @param message the message
	 */
	void messageArrived(LinkMessage message);

}
