package io.statestore.broker.login;

import io.statestore.broker.security.AddressGroup;
import io.statestore.broker.security.Credentials;

/**
 * Groups logins that wait for each other, and whose failures count together.
 *
 * @param address the {@linkplain AddressGroup group} of the address
 * @param name the user name, cut if it is long. For enhanced authentication, and without
 * a user name, the client id after a zero character
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
