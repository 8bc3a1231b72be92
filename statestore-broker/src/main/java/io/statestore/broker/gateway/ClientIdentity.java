package io.statestore.broker.gateway;

import java.util.List;

import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;

/**
 * Who sent a request, as far as the request tells: a broker does not say whose message it
 * hands on.
 *
 * @param clientId the MQTT client id, or the response topic of a client that did not name
 * itself
 * @param named whether the client named itself
 */
record ClientIdentity(String clientId, boolean named) {

	private static final String CLIENTS = "clients/";

	/**
	 * {@code __srcId} comes first: it is the client id and nothing else, whereas one
	 * official client writes its id in hexadecimal into the response topic.
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
