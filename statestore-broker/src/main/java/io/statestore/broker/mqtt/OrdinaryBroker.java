package io.statestore.broker.mqtt;

import java.util.function.BooleanSupplier;

import io.netty.channel.Channel;
import io.statestore.broker.artemis.ClientIdClaim;
import io.statestore.broker.artemis.session.ClaimRequest;
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
	 * @param connection the connection of the client
	 * @param condition the condition, called on any thread, or {@code null} for none.
	 * Must not refer to the connection, with which it is forgotten
	 */
	void guardWill(Channel connection, @Nullable BooleanSupplier condition);

	/**
	 * Reserves a client id for a connection, before its CONNECT is executed.
	 * @param connection the connection
	 * @param request the request
	 * @return the claim, to be closed after the end of the connection
	 */
	ClientIdClaim claim(Channel connection, ClaimRequest request);

	/**
	 * Publishes a reply to the subscribers of its topic.
	 * @param reply the reply
	 */
	void publish(OutgoingMessage reply);

}
