package io.statestore.boot;

import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.CertificateName;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of the logins at the embedded broker. Separate from
 * {@link StateStoreProperties}, because the broker is optional.
 */
@ConfigurationProperties("statestore.embedded")
public class EmbeddedLoginProperties {

	/**
	 * Clients that may connect to the embedded broker without a login: 'none', 'loopback'
	 * for those on this machine, or 'all'. By default 'none' if users can log in,
	 * otherwise 'loopback'.
	 */
	private @Nullable AnonymousAccess anonymous;

	/**
	 * File of users with hashed passwords, which the command 'passwd' of
	 * statestore-server or 'mosquitto_passwd' creates. Read again after a change. None by
	 * default.
	 */
	// Not a Path, which Spring would search for on the class path first.
	private @Nullable String usersFile;

	/**
	 * Field of client certificates that contains the user name: 'common-name', 'subject',
	 * 'dns', 'uri', or 'email'. By default, certificates are not used for logins.
	 */
	private @Nullable CertificateName certificateName;

	private final Token token = new Token();

	public @Nullable AnonymousAccess getAnonymous() {
		return this.anonymous;
	}

	public void setAnonymous(@Nullable AnonymousAccess anonymous) {
		this.anonymous = anonymous;
	}

	public @Nullable String getUsersFile() {
		return this.usersFile;
	}

	public void setUsersFile(@Nullable String usersFile) {
		this.usersFile = usersFile;
	}

	public @Nullable CertificateName getCertificateName() {
		return this.certificateName;
	}

	public void setCertificateName(@Nullable CertificateName certificateName) {
		this.certificateName = certificateName;
	}

	public Token getToken() {
		return this.token;
	}

	/** Tokens of clients that log in with K8S-SAT. */
	public static class Token {

		/**
		 * File with the public keys (JWKS) of the issuer of tokens. Read again after a
		 * change. Requires com.nimbusds:nimbus-jose-jwt. None by default.
		 */
		private @Nullable String jwksFile;

		/**
		 * Issuer of tokens. Required with a JWKS file.
		 */
		private @Nullable String issuer;

		/**
		 * Audience of tokens. Required with a JWKS file.
		 */
		private @Nullable String audience;

		public @Nullable String getJwksFile() {
			return this.jwksFile;
		}

		public void setJwksFile(@Nullable String jwksFile) {
			this.jwksFile = jwksFile;
		}

		public @Nullable String getIssuer() {
			return this.issuer;
		}

		public void setIssuer(@Nullable String issuer) {
			this.issuer = issuer;
		}

		public @Nullable String getAudience() {
			return this.audience;
		}

		public void setAudience(@Nullable String audience) {
			this.audience = audience;
		}

	}

}
