package io.statestore.broker.artemis.session;

import org.jspecify.annotations.Nullable;

/**
 * Receiver of the subscriptions of a session.
 * <p>
 * Internal: not part of the API.
 */
@FunctionalInterface
public interface SubscriptionConsumer {

	/**
	 * Receives one subscription.
	 * @param filter topic filter as Artemis knows it
	 * @param qos maximum QoS level, 0 to 2
	 * @param identifier subscription identifier, or {@code null} if there is none
	 */
	void accept(String filter, int qos, @Nullable Integer identifier);

}
