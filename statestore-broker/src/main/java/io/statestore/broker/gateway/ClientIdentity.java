package io.statestore.broker.gateway;

import java.util.List;

import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;

/**
 * A sender's identity, as stated in its request. A broker does not pass on the sender's
 * client id.
 *
 * @param clientId the MQTT client id, or the response topic if the request has no client
 * id
 * @param named whether the request has a client id
 */
record ClientIdentity(String clientId, boolean named) {

	private static final String CLIENTS = "clients/";

	/**
	 * Returns the sender's identity. {@code __srcId} takes precedence, because it is
	 * exactly the client id. Official clients include their id in the response topic, in
	 * hexadecimal.
	 */
	static ClientIdentity of(List<UserProperty> userProperties, @Nullable String responseTopic) {
		for (UserProperty property : userProperties) {
			if (property.name().equals(UserProperties.SOURCE_ID) && !property.value().isEmpty()) {
				return new ClientIdentity(property.value(), true);
			}
		}
		if (responseTopic == null) {
			return new ClientIdentity("", false);
		}
		int end = responseTopic.indexOf('/', CLIENTS.length());
		return (responseTopic.startsWith(CLIENTS) && end > CLIENTS.length())
				? new ClientIdentity(responseTopic.substring(CLIENTS.length(), end), true)
				: new ClientIdentity(responseTopic, false);
	}

}
