package io.statestore.broker.mqtt;

import java.util.List;

import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.Authorizer;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.Permissions;
import org.jspecify.annotations.Nullable;

/**
 * Authentication and authorization of an MQTT broker's clients.
 * <p>
 * Internal: not part of the API.
 *
 * @param authenticators verify clients' credentials, in list order
 * @param anonymous the clients that may connect without logging in
 * @param authorizer decides what clients may do, {@code null} to permit everything
 */
public record MqttSecurity(List<Authenticator> authenticators, AnonymousAccess anonymous,
		@Nullable Authorizer authorizer) {

	/** Accepts all clients and permits everything. */
	public static final MqttSecurity NONE = new MqttSecurity(List.of(), AnonymousAccess.ALL, null);

	public MqttSecurity {
		authenticators = List.copyOf(authenticators);
	}

	/**
	 * Returns a client's permissions.
	 * @param client the authenticated client
	 * @return its permissions; {@link Permissions#ALL} if there is no authorizer
	 */
	Permissions permissions(Client client) {
		return (this.authorizer != null) ? GuardedPermissions.of(client, this.authorizer.permissions(client))
				: Permissions.ALL;
	}

}
