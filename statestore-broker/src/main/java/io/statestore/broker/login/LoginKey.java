package io.statestore.broker.login;

import java.util.Objects;

import io.statestore.broker.security.Credentials;

/**
 * Groups logins that wait for each other, and whose failures count together.
 *
 * @param site the {@linkplain AddressGroup#ofSite site} of the address
 * @param address the {@linkplain AddressGroup group} of the address
 * @param name the user name, cut if it is long. For enhanced authentication, the client
 * id
 */
record LoginKey(String site, String address, String name) {

	private static final int MAX_LENGTH = 128;

	static LoginKey of(Credentials credentials) {
		String name = (credentials.method() != null) ? '\0' + credentials.clientId()
				: Objects.requireNonNullElse(credentials.userName(), "");
		return new LoginKey(AddressGroup.ofSite(credentials.address()), AddressGroup.of(credentials.address()),
				name.substring(0, Math.min(name.length(), MAX_LENGTH)));
	}

}
