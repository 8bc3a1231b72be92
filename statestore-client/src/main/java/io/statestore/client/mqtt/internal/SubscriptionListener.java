package io.statestore.client.mqtt.internal;

import io.statestore.client.StateStoreException;
import io.statestore.client.mqtt.ConnectionListener;

/**
 * Listener for the messages of one subscription, and for the broker's answer to it on
 * every connection. Called on a network thread, and must not block. No answer is reported
 * after {@link ConnectionListener#disconnected}.
 */
public interface SubscriptionListener {

	/**
	 * Called for each message, in the order of arrival. Must hand the message over
	 * without blocking. Exceptions are logged.
	 * @param message the message
	 */
	void messageArrived(LinkMessage message);

	/** Called when the broker has granted the subscription on the current connection. */
	default void granted() {
	}

	/**
	 * Called when the broker has refused the subscription on the current connection. The
	 * next connection requests it again.
	 * @param reason the reason code of the broker, and what to do
	 */
	default void refused(StateStoreException reason) {
	}

}
