package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttProperties.UserProperty;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.statestore.broker.login.LoginResult;
import io.statestore.broker.login.LoginResult.Accepted;
import io.statestore.broker.login.LoginResult.Refused;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.Credentials;
import io.statestore.broker.security.RulesFile;
import io.statestore.broker.server.ClientLog;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;

/**
 * Exchange of CONNECT and CONNACK on one connection. Closes the connection if the
 * exchange takes more than {@value #TIMEOUT_SECONDS} seconds before or after the
 * verification of credentials. Used on the event loop of the connection only.
 */
final class ConnectExchange {

	private static final long TIMEOUT_SECONDS = 10;

	/**
	 * Number of attempts to claim a client id that belongs to another principal. A client
	 * of that principal may have disconnected just before.
	 */
	private static final int CLAIM_ATTEMPTS = 25;

	private static final long CLAIM_INTERVAL_MILLIS = 20;

	/** A client id that needs no quotes in a shell. */
	private static final Pattern PLAIN_ARGUMENT = Pattern.compile("\\w[\\w./:@-]*");

	private final ClientAccess access;

	private final ClientLog clientLog;

	private final ClientSession session;

	private final Reauthentication reauthentication;

	private final WaitingPackets waiting;

	private Future<?> timeout;

	/** Ends the verification of the credentials, {@code null} before it. */
	private @Nullable Runnable login;

	/** The CONNACK for wrong credentials, which is sent after a delay. */
	private @Nullable MqttMessage refusal;

	/** Number of the CONNECT, in the order of arrival. */
	private long arrival;

	/** The client that has logged in, {@code null} before its login. */
	private @Nullable Client client;

	/** Claim to the client id, {@code null} before the login. */
	private @Nullable ClientIdClaim claim;

	private int keepAliveSeconds;

	/** Client id for the CONNACK, {@code null} if the client has one. */
	private @Nullable String assignedClientId;

	/** Address of this node for the CONNACK, {@code null} to name none. */
	private @Nullable String leader;

	ConnectExchange(ChannelHandlerContext context, ClientAccess access, ClientSession session) {
		this.access = access;
		this.clientLog = access.log();
		this.session = session;
		this.waiting = new WaitingPackets(session, (packet) -> handler(context).channelRead(context, packet),
				() -> handler(context).channelReadComplete(context));
		this.reauthentication = new Reauthentication(context, access.logins(), session);
		this.timeout = closeLater(context);
	}

	private static ClientHandler handler(ChannelHandlerContext context) {
		return (ClientHandler) context.handler();
	}

	private static Future<?> closeLater(ChannelHandlerContext context) {
		return context.executor().schedule(() -> context.close(), TIMEOUT_SECONDS, TimeUnit.SECONDS);
	}

	/**
	 * Handles the CONNECT: refuses the client, or passes the packet to the next handler,
	 * possibly later.
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
			this.clientLog.warn(
					"Refused client '{}' at {}: the memory for clients is exhausted. " + Limits.RAISE_MEMORY,
					credentials.clientId(), ClientAddress.of(context.channel()), this.session.largestHolder());
			this.access.logins().rejectedForMemory(credentials);
			refuse(context, connect, Packets.refusalForMemory(connect.variableHeader().version()));
			return;
		}
		this.timeout.cancel(false);
		this.waiting.suspend(connect);
		this.login = this.access.logins()
			.verify(credentials, bytes, context.executor(), () -> wrong(context), (late) -> verified(context, late));
	}

	/** Drops the CONNECT of a client with wrong credentials before its refusal. */
	private void wrong(ChannelHandlerContext context) {
		MqttConnectMessage connect = this.waiting.connect();
		if (connect != null) {
			this.refusal = refusal(context, connect, Refused.BAD_CREDENTIALS);
			this.waiting.drop();
			this.session.releaseForLogin();
		}
	}

	/** Returns the packets of a client that waits for its login or its client id. */
	WaitingPackets waiting() {
		return this.waiting;
	}

	private void verified(ChannelHandlerContext context, LoginResult result) {
		if (!this.waiting.isWaiting() || !context.channel().isActive()) {
			return;
		}
		this.timeout = closeLater(context);
		if (this.refusal != null) {
			this.session.end();
			context.writeAndFlush(this.refusal).addListener(ChannelFutureListener.CLOSE);
			return;
		}
		this.waiting.resume((connect) -> complete(context, connect, result));
	}

	private void complete(ChannelHandlerContext context, MqttConnectMessage connect, LoginResult result) {
		if (result instanceof Accepted accepted) {
			accept(context, connect, accepted);
		}
		else if (result instanceof Refused refused) {
			refuse(context, connect, refusal(context, connect, refused));
		}
	}

	private MqttMessage refusal(ChannelHandlerContext context, MqttConnectMessage connect, Refused refused) {
		this.clientLog.warn("Refused client '{}' at {}: {}", connect.payload().clientIdentifier(),
				ClientAddress.of(context.channel()), ConnectRefusals.describe(refused));
		return ConnectRefusals.connack(ConnectRefusals.of(refused, connect));
	}

	private void accept(ChannelHandlerContext context, MqttConnectMessage connect, Accepted accepted) {
		Client client = new Client(connect.payload().clientIdentifier(), accepted.authentication().principal());
		if (!this.session.tryReserve(connect)) {
			this.access.logins()
				.rejected(client, ClientCredentials.address(context.channel()), "no memory for clients");
			refuse(context, connect, Packets.refusalForMemory(connect.variableHeader().version()));
			return;
		}
		if (!this.session.tryAuthorize(client)) {
			this.access.logins()
				.rejected(client, ClientCredentials.address(context.channel()), "the authorizer failed");
			refuse(context, connect, refusal(context, connect, Refused.UNAVAILABLE));
			return;
		}
		if (!this.session.mayConnect()) {
			this.clientLog.warn(
					"Refused client '{}' of '{}': no rule permits its client id. If this user may use it, add the rule: {}",
					client.clientId(), client.principal(), RulesFile.connectRule(client));
			refuseClientId(context, connect, client, "no rule permits its client id");
			return;
		}
		claim(context, connect, client, accepted, CLAIM_ATTEMPTS);
	}

	private void claim(ChannelHandlerContext context, MqttConnectMessage connect, Client client, Accepted accepted,
			int attempts) {
		InetAddress address = ClientCredentials.address(context.channel());
		ClientIdClaim claim = this.access.claim(client, this.arrival);
		if (claim.result() == ClaimResult.SUPERSEDED) {
			this.clientLog.info("Closed a connection of client '{}' at {}: it has connected again during its login",
					client.clientId(), ClientAddress.of(context.channel()));
			this.access.logins().rejected(client, address, "the client has connected again");
			ReferenceCountUtil.release(connect);
			this.session.end();
			context.close();
			return;
		}
		if (claim.result() == ClaimResult.OTHER_OWNER && attempts > 1) {
			this.waiting.suspend(connect);
			context.executor()
				.schedule(() -> claimAgain(context, client, accepted, attempts - 1), CLAIM_INTERVAL_MILLIS,
						TimeUnit.MILLISECONDS);
			return;
		}
		if (claim.result() == ClaimResult.OTHER_OWNER) {
			this.clientLog.warn(
					"Refused client '{}' of '{}': its client id belongs to '{}', who has a connection or session with it. "
							+ "Choose another client id, or end that session: statestore sessions end {}",
					client.clientId(), client.principal(), claim.owner(), argument(client.clientId()));
			refuseClientId(context, connect, client, "client id of another user");
			return;
		}
		this.claim = claim;
		admit(context, connect, client, accepted);
	}

	/** Returns a client id as an argument of a shell command. */
	private static String argument(String clientId) {
		return PLAIN_ARGUMENT.matcher(clientId).matches() ? clientId : "'" + clientId.replace("'", "'\\''") + "'";
	}

	private void refuseClientId(ChannelHandlerContext context, MqttConnectMessage connect, Client client,
			String reason) {
		this.access.logins().rejected(client, ClientCredentials.address(context.channel()), reason);
		refuse(context, connect, ConnectRefusals.connack(ConnectRefusals.invalidClientId(connect)));
	}

	private void claimAgain(ChannelHandlerContext context, Client client, Accepted accepted, int attempts) {
		if (this.waiting.isWaiting() && context.channel().isActive()) {
			this.waiting.resume((connect) -> claim(context, connect, client, accepted, attempts));
		}
	}

	private void admit(ChannelHandlerContext context, MqttConnectMessage connect, Client client, Accepted accepted) {
		InetAddress address = ClientCredentials.address(context.channel());
		if (!this.session.tryAdmit(connect, client.principal())) {
			this.access.logins().rejected(client, address, "too many connections of this user");
			refuse(context, connect, Packets.refusalForMemory(connect.variableHeader().version()));
			return;
		}
		this.client = client;
		this.reauthentication.connected(connect, accepted);
		this.keepAliveSeconds = connect.variableHeader().keepAliveTimeSeconds();
		this.leader = LeaderReference.of(context.channel(), connect);
		if (!this.session.connecting(connect)) {
			this.access.logins().rejected(client, address, "its will is denied");
			refuse(context, connect, ConnectRefusals.connack(ConnectRefusals.notAuthorized(connect)));
			return;
		}
		context.fireChannelRead(connect);
	}

	private void refuse(ChannelHandlerContext context, MqttConnectMessage connect, MqttMessage connack) {
		ReferenceCountUtil.release(connect);
		this.session.end();
		context.writeAndFlush(connack).addListener(ChannelFutureListener.CLOSE);
	}

	/**
	 * Handles the CONNACK. If it accepts the client, completes its properties.
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
			properties.add(new StringProperty(MqttProperties.ASSIGNED_CLIENT_IDENTIFIER, this.assignedClientId));
		}
		KeepAlive.start(context.pipeline(), this.keepAliveSeconds, this.session::keepAliveExpired);
		if (this.leader != null) {
			properties.add(new UserProperty(UserProperties.LEADER, this.leader));
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
		if (this.login != null) {
			this.login.run();
		}
		this.waiting.close();
		this.reauthentication.close();
		if (this.claim != null) {
			this.claim.close();
		}
	}

}
