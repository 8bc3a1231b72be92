package io.statestore.broker.security;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Authenticates clients that present a token using MQTT 5 enhanced authentication, as the
 * Authentication Data in a single packet. Clients can present a new token before the old
 * token expires. Rejects tokens larger than 16 KiB. Thread-safe.
 */
public final class TokenAuthenticator implements ImmediateAuthenticator {

	/** Authentication method for Kubernetes service account tokens. */
	public static final String K8S_SAT = "K8S-SAT";

	/** Maximum size of a token, in bytes. */
	static final int MAX_TOKEN_SIZE = 16 * 1024;

	private final String method;

	private final TokenVerifier verifier;

	/**
	 * Creates an authenticator for the method {@value #K8S_SAT}.
	 * @param verifier verifies the tokens
	 */
	public TokenAuthenticator(TokenVerifier verifier) {
		this(K8S_SAT, verifier);
	}

	/**
	 * Creates an authenticator.
	 * @param method the authentication method in clients' packets
	 * @param verifier verifies the tokens
	 */
	public TokenAuthenticator(String method, TokenVerifier verifier) {
		this.method = method;
		this.verifier = verifier;
	}

	@Override
	public @Nullable Decision decide(Credentials credentials) {
		return this.method.equals(credentials.method()) ? null : Decision.NOT_RESPONSIBLE;
	}

	@Override
	public @Nullable Authentication authenticate(Credentials credentials) throws AuthenticationException {
		if (!this.method.equals(credentials.method())) {
			return null;
		}
		byte[] token = credentials.data();
		if (token == null || token.length == 0) {
			throw new AuthenticationException("no token in the authentication data");
		}
		if (token.length > MAX_TOKEN_SIZE) {
			throw new AuthenticationException("the token is larger than " + MAX_TOKEN_SIZE + " bytes");
		}
		return this.verifier.verify(new String(token, StandardCharsets.UTF_8));
	}

	@Override
	public String toString() {
		return "clients with a token (" + this.method + ", " + this.verifier + ')';
	}

}
