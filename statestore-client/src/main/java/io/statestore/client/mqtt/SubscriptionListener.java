package io.statestore.client.mqtt;

import io.statestore.client.StateStoreException;
import io.statestore.client.mqtt.link.MessageSink;

/**
 * Listener for the messages of one subscription, and for the broker's answer to it on
 * every connection. Called on a network thread, and must not block. No answer is reported
 * after {@link ConnectionListener#disconnected}.
 */
interface SubscriptionListener extends MessageSink {

	/** Called when the broker has granted the subscription on the current connection. */
	default void granted() {
	}

	/**
	 * Called when the broker has refused the subscription on the current connection. The
	 * next connection requests it again.
	 */
	default void refused(StateStoreException reason) {
	}

}
