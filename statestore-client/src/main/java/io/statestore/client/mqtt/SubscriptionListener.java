package io.statestore.client.mqtt;

import io.statestore.client.StateStoreException;

/**
 * Takes the messages of one subscription, and is told on every connection what became of
 * it. The answer comes on a network thread while that connection lasts: after its
 * {@link ConnectionListener#disconnected} there is none. Never blocks.
 */
interface SubscriptionListener extends MessageSink {

	/** The broker has granted it on the present connection. */
	default void granted() {
	}

	/** The broker has refused it on the present connection; the next one asks again. */
	default void refused(StateStoreException reason) {
	}

}
