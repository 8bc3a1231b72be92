package io.statestore.broker.mqtt;

import java.util.Collection;

import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.session.Subscription;

/** The sessions of ordinary MQTT messages, as connections use them. */
interface OrdinaryBroker {

	/**
	 * Returns the subscriptions of a stored session.
	 * @param clientId id of the client
	 * @return a view, empty if the client has no such session
	 */
	Collection<Subscription> subscriptions(String clientId);

	/**
	 * Reserves a client id for a connection, before its CONNECT is executed.
	 * @param request the request
	 * @return the claim, to be closed after the end of the connection
	 */
	ClientIdClaim claim(ClaimRequest request);

	/**
	 * Publishes a reply to the subscribers of its topic.
	 * @param reply the reply
	 */
	void publish(OutgoingMessage reply);

}
