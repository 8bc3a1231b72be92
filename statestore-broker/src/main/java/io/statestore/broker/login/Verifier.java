package io.statestore.broker.login;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.statestore.broker.login.LoginResult.Accepted;
import io.statestore.broker.login.LoginResult.Refused;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.Authentication;
import io.statestore.broker.security.AuthenticationException;
import io.statestore.broker.security.Authenticator;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Credentials;
import io.statestore.broker.security.ImmediateAuthenticator;
import io.statestore.broker.security.ImmediateAuthenticator.Decision;
import io.statestore.broker.security.PasswordFile;
import io.statestore.broker.server.ClientLog;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Verifies credentials with a broker's authenticators. Thread-safe. */
final class Verifier {

	private final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(Verifier.class));

	private final List<Authenticator> authenticators;

	private final AnonymousAccess anonymous;

	private final TimeSource time;

	/**
	 * Creates a verifier.
	 * @param authenticators verify credentials, in list order
	 * @param anonymous the clients that may connect without credentials
	 * @param time the time source by which authentications expire
	 */
	Verifier(List<Authenticator> authenticators, AnonymousAccess anonymous, TimeSource time) {
		this.authenticators = List.copyOf(authenticators);
		this.anonymous = anonymous;
		this.time = time;
	}

	/**
	 * Decides about credentials without blocking, if that is possible.
	 * @param credentials the client's credentials
	 * @return the verdict, or {@code null} if {@link #verify} has to determine it
	 */
	@Nullable Verdict decide(Credentials credentials) {
		for (Authenticator authenticator : this.authenticators) {
			Decision decision = (authenticator instanceof ImmediateAuthenticator immediate)
					? immediate.decide(credentials) : null;
			if (decision == null) {
				return null;
			}
			Authentication authentication = decision.authentication();
			if (authentication != null) {
				return accept(authenticator, authentication);
			}
		}
		return isGuess(credentials) ? null : unclaimed(credentials);
	}

	/**
	 * Verifies credentials, which may block.
	 * @param credentials the client's credentials
	 * @return the verdict
	 */
	Verdict verify(Credentials credentials) {
		try {
			for (Authenticator authenticator : this.authenticators) {
				Authentication authentication = authenticator.authenticate(credentials);
				if (authentication != null) {
					return accept(authenticator, authentication);
				}
			}
			return unclaimed(credentials);
		}
		catch (AuthenticationException ex) {
			return new Verdict(Refused.BAD_CREDENTIALS, ex.getMessage());
		}
		catch (Throwable ex) {
			// Authenticators written in other languages may throw checked exceptions.
			this.clientLog.error(ex, "Failed to verify the credentials of client '{}', so it is refused: {}. Check the "
					+ "authenticator", credentials.clientId(), ex);
			return new Verdict(Refused.UNAVAILABLE, "an authenticator failed");
		}
	}

	private Verdict accept(Authenticator authenticator, Authentication authentication) {
		Instant expiresAt = authentication.expiresAt();
		Instant now = Instant.ofEpochMilli(this.time.currentTimeMillis());
		// The time source has a precision of milliseconds.
		if (expiresAt != null && !expiresAt.truncatedTo(ChronoUnit.MILLIS).isAfter(now)) {
			return new Verdict(Refused.BAD_CREDENTIALS, "the authentication has expired");
		}
		String name = authentication.principal().name();
		return new Verdict(new Accepted(authentication,
				(authenticator instanceof PasswordFile users) ? () -> !users.contains(name) : null), null);
	}

	/**
	 * Returns whether the client is logging in with a user name, so that it may be
	 * guessing passwords.
	 */
	private boolean isGuess(Credentials credentials) {
		return credentials.userName() != null && credentials.method() == null && !this.authenticators.isEmpty();
	}

	/** Decides about credentials that no authenticator handles. */
	private Verdict unclaimed(Credentials credentials) {
		if (credentials.method() != null) {
			return new Verdict(Refused.UNKNOWN_METHOD,
					"the authentication method '" + credentials.method() + "' is not supported");
		}
		if (isGuess(credentials)) {
			return new Verdict(Refused.BAD_CREDENTIALS, "unknown user");
		}
		if (this.anonymous == AnonymousAccess.ALL
				|| (this.anonymous == AnonymousAccess.LOOPBACK && credentials.address().isLoopbackAddress())) {
			return new Verdict(new Accepted(new Authentication(ClientPrincipal.ANONYMOUS, null), null), null);
		}
		return this.authenticators.isEmpty()
				? new Verdict(Refused.ADDRESS_NOT_PERMITTED, "this address requires a login")
				: new Verdict(Refused.LOGIN_REQUIRED, "no credentials");
	}

	/**
	 * A result with the reason for a refusal.
	 *
	 * @param result the result for the client
	 * @param reason why the login is refused, for the audit log
	 */
	record Verdict(LoginResult result, @Nullable String reason) {
	}

}
