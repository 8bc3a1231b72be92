package io.statestore.broker.mqtt;

import java.util.function.BooleanSupplier;

import io.statestore.broker.artemis.session.SubscriptionConsumer;
import io.statestore.broker.server.OutgoingMessage;
import org.jspecify.annotations.Nullable;

/** The part of the broker that serves ordinary MQTT messages, as a session uses it. */
interface OrdinaryBroker {

	/**
	 * Passes the subscriptions of an MQTT session to a consumer.
	 * @param clientId id of the client
	 * @param target receives the subscriptions, none if the client has no session
	 */
	void copySubscriptions(String clientId, SubscriptionConsumer target);

	/**
	 * Sets the condition under which the will of a connected client is published.
	 * @param clientId id of the client
	 * @param condition the condition, called on any thread, or {@code null} for none
	 */
	void guardWill(String clientId, @Nullable BooleanSupplier condition);

	/**
	 * Publishes a reply to the subscribers of its topic.
	 * @param reply the reply
	 */
	void publish(OutgoingMessage reply);

}
