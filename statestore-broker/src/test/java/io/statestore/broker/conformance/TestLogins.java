package io.statestore.broker.conformance;

import java.nio.charset.StandardCharsets;

import io.statestore.broker.security.Authentication;
import io.statestore.broker.security.AuthenticationException;
import io.statestore.broker.security.Authenticator;
import io.statestore.test.RawConnect;
import io.statestore.test.RawProperty;
import org.jspecify.annotations.Nullable;

/**
 * Logins of clients whose ids begin with the user name, up to the first dot. Clients
 * without a dot in their id are anonymous.
 */
final class TestLogins {

	/** Accepts any user name together with the password of these tests. */
	static final Authenticator AUTHENTICATOR = (credentials) -> {
		String user = credentials.userName();
		byte[] password = credentials.password();
		if (user == null) {
			return null;
		}
		if (password == null || !new String(password, StandardCharsets.UTF_8).equals(password(user))) {
			throw new AuthenticationException("wrong password");
		}
		return Authentication.of(user);
	};

	private TestLogins() {
	}

	/**
	 * Returns the user name with which a client logs in, {@code null} if it is anonymous.
	 */
	static @Nullable String user(String clientId) {
		int dot = clientId.indexOf('.');
		return (dot > 0) ? clientId.substring(0, dot) : null;
	}

	private static String password(String user) {
		return "password of " + user;
	}

	/** Returns a CONNECT with a client's login. */
	static RawConnect connect(String clientId, RawProperty... properties) {
		String user = user(clientId);
		RawConnect connect = RawConnect.of(clientId, properties);
		return (user != null) ? connect.login(user, password(user)) : connect;
	}

	/** Connects a state store client with its login. */
	static StoreClient client(int port, String clientId) {
		String user = user(clientId);
		return (user != null) ? StoreClient.connect(port, clientId, user, password(user))
				: StoreClient.connect(port, clientId);
	}

}
