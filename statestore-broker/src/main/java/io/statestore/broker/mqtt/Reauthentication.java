package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.util.concurrent.Future;
import io.statestore.broker.login.LoginResult;
import io.statestore.broker.login.LoginResult.Accepted;
import io.statestore.broker.login.LoginResult.Refused;
import io.statestore.broker.login.Logins;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Credentials;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Handles enhanced authentication on a connection after its CONNECT (MQTT 5 section
 * 4.12), and ends the connection when its authentication expires. Used only on the
 * connection's event loop.
 */
final class Reauthentication {

	/**
	 * Maximum interval between checks. It is short because the wall clock may be set and
	 * the user may be deleted.
	 */
	private static final Duration MAX_DELAY = Duration.ofSeconds(1);

	/**
	 * Delay before credentials are verified again, in milliseconds. Doubles with each
	 * retry.
	 */
	private static final long FIRST_RETRY_MILLIS = 500;

	private static final long MAX_RETRY_MILLIS = 16_000;

	private final Logins logins;

	private final ClientLink link;

	private final TimeSource time;

	/**
	 * Authentication method in the CONNECT, {@code null} without enhanced authentication.
	 */
	private @Nullable String method;

	/** The latest login, {@code null} before the CONNACK. */
	private @Nullable Accepted login;

	/** Scheduled check whether the login has ended. */
	private @Nullable Future<?> check;

	/** Cancels the latest verification, {@code null} before the first verification. */
	private @Nullable Runnable cancelVerification;

	/** The latest credentials to verify, {@code null} if none are being verified. */
	private @Nullable Credentials verifying;

	/** Delay before the latest retry, 0 before the first retry. */
	private long retryMillis;

	private @Nullable Future<?> retry;

	Reauthentication(ClientLink link, Logins logins, TimeSource time) {
		this.link = link;
		this.logins = logins;
		this.time = time;
	}

	/**
	 * Handles the CONNACK that accepts the client.
	 * @param method authentication method in the CONNECT, {@code null} without enhanced
	 * authentication
	 * @param login the client's login
	 */
	void accepted(@Nullable String method, Accepted login) {
		this.method = method;
		this.login = login;
		// Scheduled as a task, because a DISCONNECT must not precede the CONNACK.
		this.link.context().executor().execute(this::check);
	}

	/**
	 * Handles an AUTH.
	 * @param auth the packet
	 */
	void read(MqttMessage auth) {
		boolean retrying = this.retryMillis > 0;
		if (this.login == null || this.method == null || (this.verifying != null && !retrying)
				|| !(auth.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header)
				|| Byte.toUnsignedInt(header.reasonCode()) != ReasonCodes.REAUTHENTICATE
				|| !this.method.equals(ClientCredentials.method(header.properties()))) {
			this.link.disconnect(ReasonCodes.PROTOCOL_ERROR,
					"an AUTH that does not begin a re-authentication with the method of the CONNECT");
			return;
		}
		this.verifying = ClientCredentials.of(this.link.context().channel(), this.link.clientId(), header.properties());
		if (!retrying) {
			verify();
		}
	}

	private void verify() {
		Credentials credentials = this.verifying;
		if (credentials == null || this.link.isEnded()) {
			return;
		}
		LoginResult result = this.logins.decide(credentials);
		if (result != null) {
			verified(credentials, result);
		}
		else {
			this.cancelVerification = this.logins.verify(credentials, this.link.context().executor(),
					(late) -> verified(credentials, late));
		}
	}

	private void verified(Credentials credentials, LoginResult result) {
		Accepted earlier = this.login;
		if (earlier == null || this.link.isEnded()) {
			return;
		}
		if (result == Refused.BUSY || result == Refused.UNAVAILABLE) {
			// Until the retry, the previous credentials remain valid.
			this.retryMillis = Math.max(FIRST_RETRY_MILLIS, Math.min(MAX_RETRY_MILLIS, 2 * this.retryMillis));
			this.retry = this.link.context().executor().schedule(this::verify, this.retryMillis, TimeUnit.MILLISECONDS);
			return;
		}
		if (this.verifying != credentials) {
			// The client has sent newer credentials in the meantime.
			verify();
			return;
		}
		this.verifying = null;
		this.retryMillis = 0;
		ClientPrincipal principal = earlier.authentication().principal();
		String method = this.method;
		if (method == null || !(result instanceof Accepted accepted)) {
			this.link.disconnect(ReasonCodes.NOT_AUTHORIZED, "its re-authentication failed");
		}
		else if (!accepted.authentication().principal().equals(principal)) {
			this.logins.rejected(new Client(this.link.clientId(), accepted.authentication().principal()), address(),
					"re-authentication on the connection of another user");
			this.link.disconnect(ReasonCodes.NOT_AUTHORIZED, "it authenticated again as another user");
		}
		else {
			this.logins.admitted(new Client(this.link.clientId(), principal), address());
			this.login = accepted;
			check();
			this.link.write(Packets.authenticated(method));
			this.link.flush();
		}
	}

	private InetAddress address() {
		return ClientCredentials.address(this.link.context().channel());
	}

	/** Ends the connection if the login has ended, otherwise schedules the next check. */
	private void check() {
		cancel(this.check);
		Accepted login = this.login;
		if (login == null || this.link.isEnded()) {
			return;
		}
		Instant expiresAt = login.authentication().expiresAt();
		Duration remaining = (expiresAt != null)
				? Duration.between(Instant.ofEpochMilli(this.time.currentTimeMillis()), expiresAt) : MAX_DELAY;
		if (login.revoked() != null && login.revoked().getAsBoolean()) {
			this.link.disconnect(ReasonCodes.NOT_AUTHORIZED, "its user was deleted");
		}
		else if (remaining.isNegative() || remaining.isZero()) {
			boolean retrying = this.retryMillis > 0;
			this.link.disconnect(retrying ? ReasonCodes.SERVER_BUSY : ReasonCodes.NOT_AUTHORIZED,
					retrying ? "its authentication has expired, and the next one cannot be verified"
							: "its authentication has expired");
		}
		else if (expiresAt != null || login.revoked() != null) {
			Duration delay = (remaining.compareTo(MAX_DELAY) < 0) ? remaining : MAX_DELAY;
			this.check = this.link.context().executor().schedule(this::check, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
	}

	private static void cancel(@Nullable Future<?> task) {
		if (task != null) {
			task.cancel(false);
		}
	}

	/** Cancels the verification and the timers at the end of the connection. */
	void close() {
		if (this.cancelVerification != null) {
			this.cancelVerification.run();
		}
		cancel(this.check);
		cancel(this.retry);
	}

}
