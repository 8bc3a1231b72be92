package io.statestore.broker.mqtt;

import java.util.List;

import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.Authorizer;
import io.statestore.broker.security.Permissions;

/**
 * Rules for the connections of an MQTT broker.
 * <p>
 * Internal: not part of the API.
 *
 * @param authenticators verify the credentials of clients, in their order
 * @param anonymous the clients that may connect without logging in
 * @param authorizer decides what clients may do
 */
public record MqttSecurity(List<Authenticator> authenticators, AnonymousAccess anonymous, Authorizer authorizer) {

	/** Accepts all clients, and permits everything. */
	public static final MqttSecurity NONE = new MqttSecurity(List.of(), AnonymousAccess.ALL,
			(client) -> Permissions.ALL);

	public MqttSecurity {
		authenticators = List.copyOf(authenticators);
	}

}
