package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.statestore.broker.login.LoginResult;
import io.statestore.broker.login.LoginResult.Accepted;
import io.statestore.broker.login.LoginResult.Refused;
import io.statestore.broker.login.Logins;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Credentials;
import org.jspecify.annotations.Nullable;

/**
 * Enhanced authentication on one connection after its CONNECT (MQTT 5 section 4.12), and
 * the end of the connection when its authentication expires. Used on the event loop of
 * the connection only.
 */
final class Reauthentication {

	private static final int PROTOCOL_ERROR = 0x82;

	private static final int NOT_AUTHORIZED = 0x87;

	private static final int SERVER_BUSY = 0x89;

	private static final int REAUTHENTICATE = 0x19;

	/** Maximum delay of a timer, because the wall clock may be set. */
	private static final Duration MAX_DELAY = Duration.ofMinutes(1);

	/** Interval of the checks whether the user was deleted. */
	private static final Duration REVOCATION_INTERVAL = Duration.ofSeconds(1);

	/** Delay before credentials are verified again. Each further one doubles it. */
	private static final Duration FIRST_RETRY = Duration.ofMillis(500);

	private static final Duration MAX_RETRY = Duration.ofSeconds(16);

	private final ChannelHandlerContext context;

	private final Logins logins;

	private final ClientSession session;

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

	Reauthentication(ChannelHandlerContext context, Logins logins, ClientSession session) {
		this.context = context;
		this.logins = logins;
		this.session = session;
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
		this.context.executor().execute(this::awaitExpiry);
		awaitRevocation();
	}

	/**
	 * Handles an AUTH.
	 * @param auth the packet, whose reference is taken over
	 */
	void read(MqttMessage auth) {
		ReferenceCountUtil.release(auth);
		if (!this.accepted || this.method == null || (this.verifying != null && this.retryDelay == null)
				|| !(auth.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header)
				|| Byte.toUnsignedInt(header.reasonCode()) != REAUTHENTICATE
				|| !this.method.equals(ClientCredentials.method(header.properties()))) {
			this.session.disconnect(PROTOCOL_ERROR,
					"an AUTH that does not begin a re-authentication with the method of the CONNECT");
			return;
		}
		Credentials credentials = ClientCredentials.of(this.context.channel(), this.clientId, header.properties());
		boolean retrying = this.verifying != null;
		this.verifying = credentials;
		if (!retrying) {
			this.retryDelay = null;
			verify();
		}
	}

	private void verify() {
		Credentials credentials = this.verifying;
		if (credentials == null || this.closed || this.session.isEnded()) {
			return;
		}
		LoginResult result = this.logins.decide(credentials);
		if (result != null) {
			verified(credentials, result);
		}
		else {
			this.verification = this.logins.verify(credentials, this.context.executor(),
					(late) -> verified(credentials, late));
		}
	}

	private void verified(Credentials credentials, LoginResult result) {
		if (this.closed || this.session.isEnded()) {
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
			this.session.disconnect(NOT_AUTHORIZED, "its re-authentication failed");
		}
		else if (!accepted.authentication().principal().equals(this.principal)) {
			this.logins.rejected(new Client(this.clientId, accepted.authentication().principal()), address(),
					"re-authentication on the connection of another user");
			this.session.disconnect(NOT_AUTHORIZED, "it authenticated again as another user");
		}
		else {
			this.logins.admitted(new Client(this.clientId, this.principal), address());
			this.expiresAt = accepted.authentication().expiresAt();
			awaitExpiry();
			this.context.writeAndFlush(Packets.authenticated(method));
		}
	}

	private InetAddress address() {
		return ClientCredentials.address(this.context.channel());
	}

	/**
	 * Verifies the latest credentials later. Until then, the previous ones remain valid.
	 */
	private void retryLater() {
		Duration delay = (this.retryDelay != null) ? this.retryDelay : FIRST_RETRY;
		Duration next = delay.multipliedBy(2);
		this.retryDelay = (next.compareTo(MAX_RETRY) < 0) ? next : MAX_RETRY;
		this.retry = this.context.executor().schedule(this::verify, delay.toNanos(), TimeUnit.NANOSECONDS);
	}

	private void awaitExpiry() {
		cancelTimer();
		if (this.expiresAt != null && !this.closed) {
			Duration remaining = Duration.between(this.session.now(), this.expiresAt);
			if (remaining.isNegative() || remaining.isZero()) {
				expired();
				return;
			}
			Duration delay = (remaining.compareTo(MAX_DELAY) < 0) ? remaining : MAX_DELAY;
			this.timer = this.context.executor().schedule(this::awaitExpiry, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
	}

	private void awaitRevocation() {
		BooleanSupplier revoked = this.revoked;
		if (revoked != null) {
			this.revocation = this.context.executor().scheduleAtFixedRate(() -> {
				if (revoked.getAsBoolean()) {
					this.session.disconnect(NOT_AUTHORIZED, "its user was deleted");
				}
			}, REVOCATION_INTERVAL.toMillis(), REVOCATION_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private void expired() {
		if (this.verifying != null && this.retryDelay != null) {
			this.session.disconnect(SERVER_BUSY, "its authentication has expired, and the next one cannot be verified");
		}
		else {
			this.session.disconnect(NOT_AUTHORIZED, "its authentication has expired");
		}
	}

	private void cancelTimer() {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
	}

	/** Ends the verification and the timers after the end of the connection. */
	void close() {
		this.closed = true;
		cancelTimer();
		if (this.verification != null) {
			this.verification.run();
		}
		if (this.retry != null) {
			this.retry.cancel(false);
		}
		if (this.revocation != null) {
			this.revocation.cancel(false);
		}
	}

}
