package io.statestore.boot;

import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.CertificateUsernameField;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the logins at the embedded broker. Separate from
 * {@link StateStoreProperties}, because the broker is optional.
 * <p>
 * Paths are strings, because Spring would search for a {@code Path} on the class path
 * first.
 *
 * @param anonymous Clients that may connect to the embedded broker without a login:
 * 'none', 'loopback' for those on this machine, or 'all'. By default 'none' if users can
 * log in, otherwise 'loopback'.
 * @param usersFile File of users with hashed passwords, which the command 'passwd' of
 * statestore-server or 'mosquitto_passwd' creates. Read again after a change. None by
 * default.
 * @param certificateUsernameField Field of client certificates that contains the user
 * name: 'common-name', 'subject', 'dns', 'uri', or 'email'. By default, certificates are
 * not used for logins.
 * @param token Tokens of clients that log in with K8S-SAT
 */
@ConfigurationProperties("statestore.embedded")
public record EmbeddedLoginProperties(@Nullable AnonymousAccess anonymous, @Nullable String usersFile,
		@Nullable CertificateUsernameField certificateUsernameField, @DefaultValue Token token) {

	/**
	 * Tokens of clients that log in with K8S-SAT.
	 *
	 * @param jwksFile File with the public keys (JWKS) of the issuer of tokens. Read
	 * again after a change. Requires com.nimbusds:nimbus-jose-jwt. None by default.
	 * @param issuer Issuer of tokens. Required with a JWKS file.
	 * @param audience Audience of tokens. Required with a JWKS file.
	 */
	public record Token(@Nullable String jwksFile, @Nullable String issuer, @Nullable String audience) {

	}

}
