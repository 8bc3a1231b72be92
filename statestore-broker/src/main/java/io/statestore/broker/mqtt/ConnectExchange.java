package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.statestore.broker.artemis.ClientIdClaim;
import io.statestore.broker.artemis.session.ClaimResult;
import io.statestore.broker.login.LoginResult;
import io.statestore.broker.login.LoginResult.Accepted;
import io.statestore.broker.login.LoginResult.Refused;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.security.Authentication;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.Credentials;
import io.statestore.broker.server.ClientLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Exchange of CONNECT and CONNACK on one connection. Closes the connection if the client,
 * or Artemis, takes more than {@value #TIMEOUT_SECONDS} seconds for its part. Holds the
 * packets that arrive while the credentials are verified. Used on the event loop of the
 * connection only.
 */
final class ConnectExchange {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(ConnectExchange.class));

	private static final long TIMEOUT_SECONDS = 10;

	private final ClientAccess access;

	private final ClientSession session;

	private final Reauthentication reauthentication;

	/**
	 * Packets that arrived during the verification. Reading is suspended meanwhile, so
	 * that they are parts of the piece of {@link ReadGate} that ended the CONNECT.
	 */
	private final Queue<Object> held = new ArrayDeque<>();

	private Future<?> timeout;

	/** Ends the verification of the credentials, {@code null} before it. */
	private @Nullable Runnable login;

	/** Whether the credentials are being verified, or their refusal is delayed. */
	private boolean verifying;

	/** The CONNECT whose credentials are being verified. */
	private @Nullable MqttConnectMessage waiting;

	/** The CONNACK for wrong credentials, which is sent after a delay. */
	private @Nullable MqttMessage refusal;

	/** Number of the CONNECT, in the order of arrival. */
	private long arrival;

	/** The client that has logged in, {@code null} before its login. */
	private @Nullable Client client;

	/** Claim to the client id, {@code null} before the login. */
	private @Nullable ClientIdClaim claim;

	private int keepAliveSeconds;

	/**
	 * Session expiry granted instead of the requested one, {@code null} if it is kept.
	 */
	private @Nullable Integer cappedSessionExpiry;

	/** Client id for the CONNACK, {@code null} if the client has one. */
	private @Nullable String assignedClientId;

	ConnectExchange(ChannelHandlerContext context, ClientAccess access, ClientSession session) {
		this.access = access;
		this.session = session;
		this.reauthentication = new Reauthentication(context, access.logins(), session);
		this.timeout = closeLater(context);
	}

	private static Future<?> closeLater(ChannelHandlerContext context) {
		return context.executor().schedule(() -> context.close(), TIMEOUT_SECONDS, TimeUnit.SECONDS);
	}

	/**
	 * Handles the CONNECT: refuses the client, or passes the packet to Artemis, possibly
	 * later.
	 * @param context the context of the handler
	 * @param received the CONNECT, whose reference is taken over
	 */
	void read(ChannelHandlerContext context, MqttConnectMessage received) {
		this.arrival = this.access.arrived();
		MqttConnectMessage connect = ClientIds.assigned(received);
		MqttConnectReturnCode refusal = ConnectRules.refusal(connect);
		if (refusal != null) {
			refuse(context, connect, ConnectRefusals.connack(refusal));
			return;
		}
		if (ClientIds.isMissing(received) && connect.variableHeader().version() == Packets.MQTT_5) {
			this.assignedClientId = connect.payload().clientIdentifier();
		}
		Credentials credentials = ClientCredentials.of(context.channel(), connect);
		LoginResult result = this.access.logins().decide(credentials);
		if (result != null) {
			complete(context, connect, result);
			return;
		}
		long bytes = this.session.costOfLogin(connect);
		if (!this.session.tryReserveForLogin(bytes)) {
			clientLog.warn("Refused client '{}' at {}: the memory for clients is exhausted. {}", credentials.clientId(),
					context.channel().remoteAddress(), Limits.RAISE_MEMORY);
			this.access.logins().rejectedForMemory(credentials);
			refuse(context, connect, Packets.refusalForMemory(connect.variableHeader().version()));
			return;
		}
		this.verifying = true;
		this.waiting = connect;
		this.timeout.cancel(false);
		this.session.setAuthenticating(true);
		this.login = this.access.logins()
			.verify(credentials, bytes, context.executor(), () -> wrong(context), (late) -> verified(context, late));
	}

	/** Drops the CONNECT of a client with wrong credentials before its refusal. */
	private void wrong(ChannelHandlerContext context) {
		MqttConnectMessage connect = this.waiting;
		if (connect != null) {
			this.refusal = refusal(context, connect, Refused.BAD_CREDENTIALS);
			drop();
			this.session.releaseForLogin();
		}
	}

	/** Returns whether packets have to be {@linkplain #hold held}. */
	boolean isVerifying() {
		return this.verifying;
	}

	/**
	 * Holds a packet until the credentials are verified. Drops it if they are wrong.
	 * @param packet the packet, whose reference is taken over
	 */
	void hold(Object packet) {
		if (this.waiting != null) {
			this.held.add(packet);
		}
		else {
			ReferenceCountUtil.release(packet);
		}
	}

	private void verified(ChannelHandlerContext context, LoginResult result) {
		if (!this.verifying || !context.channel().isActive()) {
			return;
		}
		this.verifying = false;
		this.timeout = closeLater(context);
		MqttConnectMessage connect = this.waiting;
		if (connect == null) {
			this.session.end();
			context.writeAndFlush(Objects.requireNonNull(this.refusal)).addListener(ChannelFutureListener.CLOSE);
			return;
		}
		this.waiting = null;
		this.session.readingStarted();
		complete(context, connect, result);
		Object next = this.held.poll();
		while (next != null) {
			((ClientHandler) context.handler()).channelRead(context, next);
			next = this.held.poll();
		}
		((ClientHandler) context.handler()).channelReadComplete(context);
		this.session.setAuthenticating(false);
	}

	private void complete(ChannelHandlerContext context, MqttConnectMessage connect, LoginResult result) {
		if (result instanceof Accepted accepted) {
			accept(context, connect, accepted.authentication());
		}
		else if (result instanceof Refused refused) {
			refuse(context, connect, refusal(context, connect, refused));
		}
	}

	private static MqttMessage refusal(ChannelHandlerContext context, MqttConnectMessage connect, Refused refused) {
		clientLog.warn("Refused client '{}' at {}: {}", connect.payload().clientIdentifier(),
				context.channel().remoteAddress(), ConnectRefusals.describe(refused));
		return ConnectRefusals.connack(ConnectRefusals.of(refused, connect));
	}

	private void accept(ChannelHandlerContext context, MqttConnectMessage connect, Authentication authentication) {
		String clientId = connect.payload().clientIdentifier();
		Client client = new Client(clientId, authentication.principal());
		InetAddress address = ClientCredentials.address(context.channel());
		if (!this.session.tryReserve(connect)) {
			this.access.logins().rejected(client, address, "no memory for clients");
			refuse(context, connect, Packets.refusalForMemory(connect.variableHeader().version()));
			return;
		}
		ClientIdClaim claim = this.access.claim(context.channel(), client, this.arrival);
		if (claim.result() == ClaimResult.SUPERSEDED) {
			clientLog.info("Closed a connection of client '{}' at {}: it has connected again during its login",
					clientId, context.channel().remoteAddress());
			this.access.logins().rejected(client, address, "the client has connected again");
			ReferenceCountUtil.release(connect);
			this.session.end();
			context.close();
			return;
		}
		if (claim.result() == ClaimResult.OTHER_OWNER) {
			clientLog.warn(
					"Refused client '{}' of '{}': its client id is in use by another user, or the session of that user "
							+ "has not ended. Choose another client id",
					clientId, authentication.principal());
			this.access.logins().rejected(client, address, "client id of another user");
			refuse(context, connect, ConnectRefusals.connack(ConnectRefusals.invalidClientId(connect)));
			return;
		}
		this.claim = claim;
		if (!this.session.tryAdmit(connect, authentication.principal())) {
			this.access.logins().rejected(client, address, "too many connections of this user");
			refuse(context, connect, Packets.refusalForMemory(connect.variableHeader().version()));
			return;
		}
		if (!this.session.tryAuthorize(client)) {
			this.access.logins().rejected(client, address, "the authorizer failed");
			refuse(context, connect, refusal(context, connect, Refused.UNAVAILABLE));
			return;
		}
		this.client = client;
		this.reauthentication.connected(connect, authentication);
		this.keepAliveSeconds = connect.variableHeader().keepAliveTimeSeconds();
		MqttConnectMessage passed = Packets.forArtemis(connect);
		if (!this.session.connecting(passed)) {
			this.access.logins().rejected(client, address, "its will is denied");
			refuse(context, passed, ConnectRefusals.connack(ConnectRefusals.notAuthorized(passed)));
			return;
		}
		this.cappedSessionExpiry = Intervals.adjust(passed);
		context.fireChannelRead(passed);
	}

	private void refuse(ChannelHandlerContext context, MqttConnectMessage connect, MqttMessage connack) {
		ReferenceCountUtil.release(connect);
		this.session.end();
		context.writeAndFlush(connack).addListener(ChannelFutureListener.CLOSE);
	}

	/**
	 * Handles the CONNACK of Artemis. If it accepts the client, completes its properties.
	 * @param context the context of the handler
	 * @param connack the CONNACK, which is about to be sent
	 */
	void write(ChannelHandlerContext context, MqttConnAckMessage connack) {
		Client client = Objects.requireNonNull(this.client, "no login");
		InetAddress address = ClientCredentials.address(context.channel());
		if (connack.variableHeader().connectReturnCode() != MqttConnectReturnCode.CONNECTION_ACCEPTED) {
			this.access.logins().rejected(client, address, "its session is refused");
			return;
		}
		this.access.logins().admitted(client, address);
		this.timeout.cancel(false);
		this.session.connected(connack);
		MqttProperties properties = connack.variableHeader().properties();
		if (this.assignedClientId != null) {
			properties
				.add(new StringProperty(MqttPropertyType.ASSIGNED_CLIENT_IDENTIFIER.value(), this.assignedClientId));
		}
		KeepAlive.start(context.pipeline(), this.keepAliveSeconds, connack, this.session::keepAliveExpired);
		if (this.cappedSessionExpiry != null) {
			properties
				.add(new IntegerProperty(MqttPropertyType.SESSION_EXPIRY_INTERVAL.value(), this.cappedSessionExpiry));
		}
		this.reauthentication.accepted(properties);
	}

	/**
	 * Handles an AUTH.
	 * @param auth the packet, whose reference is taken over
	 */
	void readAuth(MqttMessage auth) {
		this.reauthentication.read(auth);
	}

	/** Ends the exchange after the end of the connection. */
	void cancel() {
		this.timeout.cancel(false);
		this.verifying = false;
		if (this.login != null) {
			this.login.run();
		}
		drop();
		this.reauthentication.close();
		if (this.claim != null) {
			this.claim.close();
		}
	}

	/** Releases the packets that wait for the verification. */
	private void drop() {
		ReferenceCountUtil.release(this.waiting);
		this.waiting = null;
		this.held.forEach(ReferenceCountUtil::release);
		this.held.clear();
	}

}
