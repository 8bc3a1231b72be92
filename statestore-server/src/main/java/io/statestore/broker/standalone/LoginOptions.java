package io.statestore.broker.standalone;

import java.nio.file.Path;

import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.CertificateAuthenticator;
import io.statestore.broker.security.CertificateUsernameField;
import io.statestore.broker.security.JwksFile;
import io.statestore.broker.security.PasswordFile;
import io.statestore.broker.security.TokenAuthenticator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Broker options that determine which clients may connect. */
final class LoginOptions {

	@Option(names = "--user", paramLabel = "<name>",
			description = "User name if there is only one user (default: the STATESTORE_USERNAME environment "
					+ "variable). For several users, see --users")
	private @Nullable String user;

	@Option(names = "--password-file", paramLabel = "<file>",
			description = "File with the password of --user in its first line (default: the STATESTORE_PASSWORD "
					+ "environment variable contains the password)")
	private @Nullable Path passwordFile;

	@Option(names = "--users", paramLabel = "<file>",
			description = "File with users and their hashed passwords, created by the passwd command")
	private @Nullable Path users;

	@Option(names = "--certificate-username-field", paramLabel = "<field>",
			converter = CertificateUsernameFieldConverter.class,
			description = "Client certificate field that contains the user name: common-name, subject, dns, uri, or "
					+ "email (default: certificates are not used for logins)")
	private @Nullable CertificateUsernameField certificateUsernameField;

	@Option(names = "--jwks", paramLabel = "<file>",
			description = "File with the token issuer's public keys (JWKS), for clients that log in with K8S-SAT "
					+ "tokens")
	private @Nullable Path jwks;

	@Option(names = "--token-issuer", paramLabel = "<name>", description = "Required token issuer")
	private @Nullable String tokenIssuer;

	@Option(names = "--token-audience", paramLabel = "<name>", description = "Required token audience")
	private @Nullable String tokenAudience;

	@Option(names = "--anonymous", paramLabel = "<clients>",
			description = "Which clients can connect without logging in: none, loopback for those on this machine, or "
					+ "all (default: none if users can log in, otherwise loopback)")
	private @Nullable AnonymousAccess anonymous;

	/**
	 * Passes the options to a builder.
	 * @param builder the broker's builder
	 * @param certificates whether the broker requests client certificates
	 * @throws IllegalArgumentException if an option requires another option, or a file is
	 * not readable or invalid
	 */
	void apply(StateStoreBrokerBuilder builder, boolean certificates) {
		if (this.jwks != null && this.tokenIssuer != null && this.tokenAudience != null) {
			builder.authenticator(new TokenAuthenticator(JwksFile.of(this.jwks, this.tokenIssuer, this.tokenAudience)));
		}
		else if (this.jwks != null || this.tokenIssuer != null || this.tokenAudience != null) {
			throw new IllegalArgumentException(
					"--jwks, --token-issuer, and --token-audience require each other; set all or none");
		}
		if (this.users != null) {
			builder.authenticator(PasswordFile.of(this.users));
		}
		Passwords.login(this.user, this.passwordFile, builder::account);
		if (this.certificateUsernameField != null) {
			if (!certificates) {
				throw new IllegalArgumentException(
						"--certificate-username-field requires certificates of clients; add --tls-client-ca <file>");
			}
			builder.authenticator(new CertificateAuthenticator(this.certificateUsernameField));
		}
		LimitOptions.with(builder, this.anonymous, StateStoreBrokerBuilder::anonymous);
	}

}
