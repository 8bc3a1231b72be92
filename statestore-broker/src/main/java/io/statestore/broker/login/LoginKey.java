package io.statestore.broker.login;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

import io.statestore.broker.security.Credentials;

/**
 * What logins have in common that wait for each other, and whose failures count together.
 *
 * @param address the address. For IPv6, its first 64 bits, because a machine can use all
 * addresses that begin with them
 * @param name the user name, cut if it is long. For enhanced authentication, the client
 * id
 */
record LoginKey(String address, String name) {

	private static final int MAX_LENGTH = 128;

	private static final int PREFIX_BYTES = 8;

	static LoginKey of(Credentials credentials) {
		String name = (credentials.method() != null) ? '\0' + credentials.clientId()
				: Objects.requireNonNullElse(credentials.userName(), "");
		return new LoginKey(address(credentials.address()), name.substring(0, Math.min(name.length(), MAX_LENGTH)));
	}

	private static String address(InetAddress address) {
		return (address instanceof Inet6Address)
				? HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), PREFIX_BYTES))
				: address.getHostAddress();
	}

}
