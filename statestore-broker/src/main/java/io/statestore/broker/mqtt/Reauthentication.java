package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
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
 * Enhanced authentication on one connection after its CONNECT (MQTT 5 section 4.12), and
 * the end of the connection when its authentication expires. Used on the event loop of
 * the connection only.
 */
final class Reauthentication {

	/** Maximum delay of a timer, because the wall clock may be set. */
	private static final Duration MAX_DELAY = Duration.ofMinutes(1);

	/** Interval of the checks whether the user was deleted. */
	private static final Duration REVOCATION_INTERVAL = Duration.ofSeconds(1);

	/** Delay before credentials are verified again. Each further one doubles it. */
	private static final Duration FIRST_RETRY = Duration.ofMillis(500);

	private static final Duration MAX_RETRY = Duration.ofSeconds(16);

	private final Logins logins;

	private final ClientLink link;

	private final TimeSource time;

	private String clientId = "";

	/** Method in the CONNECT, {@code null} without enhanced authentication. */
	private @Nullable String method;

	private ClientPrincipal principal = ClientPrincipal.ANONYMOUS;

	private @Nullable Instant expiresAt;

	/** Returns whether the user was deleted, {@code null} if it cannot be. */
	private @Nullable BooleanSupplier revoked;

	private @Nullable Future<?> timer;

	private boolean accepted;

	/** Ends the latest verification, {@code null} before the first one. */
	private @Nullable Runnable verification;

	/** The latest credentials to verify, {@code null} if none are being verified. */
	private @Nullable Credentials verifying;

	/** Delay of the next retry, {@code null} before the first one. */
	private @Nullable Duration retryDelay;

	private @Nullable Future<?> retry;

	private @Nullable Future<?> revocation;

	private boolean closed;

	Reauthentication(ClientLink link, Logins logins, TimeSource time) {
		this.link = link;
		this.logins = logins;
		this.time = time;
	}

	/**
	 * Handles the CONNECT of a client that has logged in.
	 * @param connect the CONNECT
	 * @param login the login of the client
	 */
	void connected(MqttConnectMessage connect, Accepted login) {
		this.clientId = connect.payload().clientIdentifier();
		this.method = ClientCredentials.method(connect.variableHeader().properties());
		this.principal = login.authentication().principal();
		this.expiresAt = login.authentication().expiresAt();
		this.revoked = login.revoked();
	}

	/**
	 * Handles the CONNACK that accepts the client.
	 * @param properties properties of the CONNACK
	 */
	void accepted(MqttProperties properties) {
		if (this.method != null) {
			properties.add(new StringProperty(MqttProperties.AUTHENTICATION_METHOD, this.method));
		}
		this.accepted = true;
		// Later, because a DISCONNECT must not precede the CONNACK.
		this.link.context().executor().execute(this::awaitExpiry);
		awaitRevocation();
	}

	/**
	 * Handles an AUTH.
	 * @param auth the packet
	 */
	void read(MqttMessage auth) {
		if (!this.accepted || this.method == null || (this.verifying != null && this.retryDelay == null)
				|| !(auth.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header)
				|| Byte.toUnsignedInt(header.reasonCode()) != ReasonCodes.REAUTHENTICATE
				|| !this.method.equals(ClientCredentials.method(header.properties()))) {
			this.link.disconnect(ReasonCodes.PROTOCOL_ERROR,
					"an AUTH that does not begin a re-authentication with the method of the CONNECT");
			return;
		}
		Credentials credentials = ClientCredentials.of(this.link.context().channel(), this.clientId,
				header.properties());
		boolean retrying = this.verifying != null;
		this.verifying = credentials;
		if (!retrying) {
			this.retryDelay = null;
			verify();
		}
	}

	private void verify() {
		Credentials credentials = this.verifying;
		if (credentials == null || this.closed || this.link.isEnded()) {
			return;
		}
		LoginResult result = this.logins.decide(credentials);
		if (result != null) {
			verified(credentials, result);
		}
		else {
			this.verification = this.logins.verify(credentials, this.link.context().executor(),
					(late) -> verified(credentials, late));
		}
	}

	private void verified(Credentials credentials, LoginResult result) {
		if (this.closed || this.link.isEnded()) {
			return;
		}
		if (result == Refused.BUSY || result == Refused.UNAVAILABLE) {
			retryLater();
			return;
		}
		if (this.verifying != credentials) {
			// The client has sent newer ones meanwhile.
			verify();
			return;
		}
		this.verifying = null;
		String method = this.method;
		if (method == null || !(result instanceof Accepted accepted)) {
			this.link.disconnect(ReasonCodes.NOT_AUTHORIZED, "its re-authentication failed");
		}
		else if (!accepted.authentication().principal().equals(this.principal)) {
			this.logins.rejected(new Client(this.clientId, accepted.authentication().principal()), address(),
					"re-authentication on the connection of another user");
			this.link.disconnect(ReasonCodes.NOT_AUTHORIZED, "it authenticated again as another user");
		}
		else {
			this.logins.admitted(new Client(this.clientId, this.principal), address());
			this.expiresAt = accepted.authentication().expiresAt();
			awaitExpiry();
			this.link.context().writeAndFlush(Packets.authenticated(method));
		}
	}

	private InetAddress address() {
		return ClientCredentials.address(this.link.context().channel());
	}

	/**
	 * Verifies the latest credentials later. Until then, the previous ones remain valid.
	 */
	private void retryLater() {
		Duration delay = (this.retryDelay != null) ? this.retryDelay : FIRST_RETRY;
		Duration next = delay.multipliedBy(2);
		this.retryDelay = (next.compareTo(MAX_RETRY) < 0) ? next : MAX_RETRY;
		this.retry = this.link.context().executor().schedule(this::verify, delay.toNanos(), TimeUnit.NANOSECONDS);
	}

	private void awaitExpiry() {
		cancel(this.timer);
		if (this.expiresAt != null && !this.closed) {
			Duration remaining = Duration.between(Instant.ofEpochMilli(this.time.currentTimeMillis()), this.expiresAt);
			if (remaining.isNegative() || remaining.isZero()) {
				expired();
				return;
			}
			Duration delay = (remaining.compareTo(MAX_DELAY) < 0) ? remaining : MAX_DELAY;
			this.timer = this.link.context()
				.executor()
				.schedule(this::awaitExpiry, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
	}

	private void awaitRevocation() {
		BooleanSupplier revoked = this.revoked;
		if (revoked != null) {
			this.revocation = this.link.context().executor().scheduleAtFixedRate(() -> {
				if (revoked.getAsBoolean()) {
					this.link.disconnect(ReasonCodes.NOT_AUTHORIZED, "its user was deleted");
				}
			}, REVOCATION_INTERVAL.toMillis(), REVOCATION_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private void expired() {
		if (this.verifying != null && this.retryDelay != null) {
			this.link.disconnect(ReasonCodes.SERVER_BUSY,
					"its authentication has expired, and the next one cannot be verified");
		}
		else {
			this.link.disconnect(ReasonCodes.NOT_AUTHORIZED, "its authentication has expired");
		}
	}

	private static void cancel(@Nullable Future<?> task) {
		if (task != null) {
			task.cancel(false);
		}
	}

	/** Ends the verification and the timers after the end of the connection. */
	void close() {
		this.closed = true;
		if (this.verification != null) {
			this.verification.run();
		}
		cancel(this.timer);
		cancel(this.retry);
		cancel(this.revocation);
	}

}
