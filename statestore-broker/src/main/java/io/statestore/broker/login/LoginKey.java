package io.statestore.broker.login;

import io.statestore.broker.security.AddressGroup;
import io.statestore.broker.security.Credentials;

/**
 * Groups logins that wait for each other and whose failures count together.
 *
 * @param address the address {@linkplain AddressGroup group}
 * @param name the user name, truncated if it is long. For enhanced authentication, or
 * without a user name, a zero character followed by the client id
 */
record LoginKey(String address, String name) {

	private static final int MAX_LENGTH = 128;

	static LoginKey of(Credentials credentials) {
		String user = credentials.userName();
		String name = (user != null && credentials.method() == null) ? user : '\0' + credentials.clientId();
		return new LoginKey(AddressGroup.of(credentials.address()),
				name.substring(0, Math.min(name.length(), MAX_LENGTH)));
	}

}
