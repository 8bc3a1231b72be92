package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.LoopTasks;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.principal.PrincipalShare;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.time.Activity;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * State of one connection: its requests, outgoing messages, and subscriptions. Used on
 * the event loop of the connection only. Other threads use its {@link ClientConnection}.
 */
final class ClientSession {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(ClientSession.class));

	private static final int KEEP_ALIVE_TIMEOUT = 0x8D;

	static final int QUOTA_EXCEEDED = 0x97;

	private static final int MAX_RECEIVE_MAXIMUM = 65_535;

	/** Estimated heap of a connection with its MQTT session, in bytes. */
	static final int CONNECTION_COST = 16 * 1024;

	/** Number of copies of client id and will in objects of the connection. */
	private static final int COPIES_OF_CONNECT = 4;

	/** Estimated heap of a connection whose login is being verified, in bytes. */
	private static final int LOGIN_COST = 4 * 1024;

	/** Number of copies of the CONNECT while its login is being verified. */
	private static final int COPIES_FOR_LOGIN = 2;

	/** Time for the client to receive a DISCONNECT before the connection is closed. */
	static final long DISCONNECT_TIMEOUT_SECONDS = 5;

	private final ChannelHandlerContext context;

	private final OrdinaryBroker broker;

	private final ClientListener listener;

	private final ClientShare memory;

	private final TimeSource time;

	private final MqttSecurity security;

	private final SessionLimits limits;

	private final AuditLog audit;

	private final LoopTasks tasks;

	private final Subscriptions subscriptions = new Subscriptions();

	private final RequestQueue requests;

	private OutboundFlow flow;

	private int version = Packets.MQTT_5;

	private String clientId = "";

	/** The authenticated identity of the client. */
	private ClientPrincipal principal = ClientPrincipal.ANONYMOUS;

	private Permissions permissions = Permissions.ALL;

	/** What the client may do, {@code null} before its CONNECT. */
	private @Nullable SessionAccess access;

	private boolean connected;

	/** This connection as the state store uses it, {@code null} for other clients. */
	private @Nullable ClientConnection handle;

	/** The messages of the state store that the client has not acknowledged. */
	private Activity undelivered = Activity.UNTRACKED;

	private boolean ended;

	/** Whether the credentials of the client are being verified. */
	private boolean authenticating;

	/** Bytes reserved while the credentials are being verified. */
	private long reservedForLogin;

	/** Whether too many changes of the session are pending. */
	private boolean behind;

	/** Whether a burst of packets from the client is read. Its end flushes. */
	private boolean reading;

	/**
	 * Creates the session of a new connection.
	 * @param context context of the handler of the connection
	 * @param broker the sessions of ordinary messages
	 * @param listener receives the requests
	 * @param memory the share of the client
	 * @param settings rules for the connection, and the time for its messages
	 * @param audit receives denials
	 */
	ClientSession(ChannelHandlerContext context, OrdinaryBroker broker, ClientListener listener, ClientShare memory,
			MqttBrokerSettings settings, AuditLog audit) {
		this.audit = audit;
		this.time = settings.time();
		this.security = settings.security();
		this.limits = new SessionLimits(context, settings.principals(), this::updateReading);
		this.context = context;
		this.memory = memory;
		this.broker = broker;
		this.listener = listener;
		this.tasks = new LoopTasks(context.channel().eventLoop(), this::flushUnlessReading, this::failed);
		this.requests = new RequestQueue(listener, this.tasks, this::isStable, new RequestEvents());
		this.flow = flow(MAX_RECEIVE_MAXIMUM, OutboundFlow.NO_LIMIT);
	}

	private OutboundFlow flow(int receiveMaximum, long maxPacketSize) {
		return new OutboundFlow(this.context, receiveMaximum, maxPacketSize, this.memory,
				() -> disconnect(QUOTA_EXCEEDED, "the memory of messages waiting for this client is exhausted"));
	}

	/** Returns whether every CONNECT, SUBSCRIBE, and UNSUBSCRIBE has been answered. */
	private boolean isStable() {
		return this.connected && !this.subscriptions.areChanging();
	}

	/** Returns the subscriptions of this connection. */
	Subscriptions subscriptions() {
		return this.subscriptions;
	}

	/** Returns the requests of this connection. */
	RequestQueue requests() {
		return this.requests;
	}

	/** Returns the outgoing messages of this connection. */
	OutboundFlow flow() {
		return this.flow;
	}

	/** Returns the time of the broker. */
	Instant now() {
		return Instant.ofEpochMilli(this.time.currentTimeMillis());
	}

	boolean isEnded() {
		return this.ended;
	}

	/** Returns the estimated heap of a connection while its login is being verified. */
	long costOfLogin(MqttConnectMessage connect) {
		return LOGIN_COST + costOfTls() + (long) COPIES_FOR_LOGIN * connect.fixedHeader().remainingLength();
	}

	/**
	 * Reserves the memory of a connection whose login has to be verified. The queue of
	 * logins limits the sum, because anybody can be one of these clients.
	 * @param bytes the memory
	 * @return whether the memory is reserved
	 */
	boolean tryReserveForLogin(long bytes) {
		if (!this.memory.tryReserve(MemoryUse.LOGIN, bytes)) {
			return false;
		}
		this.reservedForLogin = bytes;
		return true;
	}

	/** Returns the user that holds the most memory, for a log message. */
	Object largestHolder() {
		return this.memory.largestHolder();
	}

	/** Releases the memory reserved for the login. */
	void releaseForLogin() {
		this.memory.release(MemoryUse.LOGIN, this.reservedForLogin);
		this.reservedForLogin = 0;
	}

	/**
	 * Reserves the memory of a connection that is about to be accepted.
	 * @param connect its CONNECT
	 * @return whether the memory is reserved
	 */
	boolean tryReserve(MqttConnectMessage connect) {
		releaseForLogin();
		return this.memory.tryReserve(MemoryUse.CONNECTION,
				CONNECTION_COST + costOfTls() + (long) COPIES_OF_CONNECT * connect.fixedHeader().remainingLength());
	}

	private int costOfTls() {
		return TlsChannels.isSecure(this.context.channel()) ? TlsAcceptor.CONNECTION_COST : 0;
	}

	/**
	 * Admits the connection of an authenticated client, within the limits of its
	 * principal.
	 * @param connect its CONNECT
	 * @param principal the principal
	 * @return whether the connection is admitted
	 */
	boolean tryAdmit(MqttConnectMessage connect, ClientPrincipal principal) {
		PrincipalShare share = this.limits.admit(principal, connect.payload().clientIdentifier());
		if (share == null) {
			return false;
		}
		this.principal = principal;
		this.memory.setOwner(principal::name);
		this.requests.admitted(share);
		return true;
	}

	/**
	 * Determines the permissions of an authenticated client.
	 * @param client the client
	 * @return {@code false} if the authorizer has failed, and the client is to be refused
	 */
	boolean tryAuthorize(Client client) {
		try {
			this.permissions = this.security.permissions(client);
			return true;
		}
		catch (OutOfMemoryError ex) {
			throw ex;
		}
		catch (Throwable ex) {
			// Also a checked exception, and an error that one client id causes.
			clientLog.error(ex, "Failed to determine the permissions of client '{}'", client.clientId());
			return false;
		}
	}

	/** Returns whether the client may use its client id. */
	boolean mayConnect() {
		return this.permissions.mayConnect();
	}

	/**
	 * Suspends reading while credentials are verified.
	 * @param authenticating whether they are being verified
	 */
	void setAuthenticating(boolean authenticating) {
		this.authenticating = authenticating;
		updateReading();
	}

	/**
	 * Handles the CONNECT of an accepted client, before it is executed.
	 * @param connect the CONNECT
	 * @return {@code false} if the client may not publish its will, and is to be refused
	 */
	boolean connecting(MqttConnectMessage connect) {
		this.version = connect.variableHeader().version();
		this.clientId = connect.payload().clientIdentifier();
		Client client = new Client(this.clientId, this.principal);
		SessionAccess access = new SessionAccess(client, connect, this.permissions, address(), this.audit);
		this.access = access;
		this.requests.connecting(this.clientId, this.version, access.topics());
		MqttProperties properties = connect.variableHeader().properties();
		Integer receiveMaximum = Packets.property(properties, MqttProperties.RECEIVE_MAXIMUM, Integer.class);
		Integer maxPacketSize = Packets.property(properties, MqttProperties.MAXIMUM_PACKET_SIZE, Integer.class);
		this.flow = flow((receiveMaximum != null) ? receiveMaximum : MAX_RECEIVE_MAXIMUM,
				(maxPacketSize != null) ? Integer.toUnsignedLong(maxPacketSize) : OutboundFlow.NO_LIMIT);
		this.context.channel().attr(SessionAccess.ATTRIBUTE).set(access);
		return access.mayPublishWill();
	}

	private @Nullable InetAddress address() {
		return ClientAddress.host(this.context.channel());
	}

	/**
	 * Handles a CONNACK that accepts the client, before it is sent.
	 * @param connack the CONNACK
	 */
	void connected(MqttConnAckMessage connack) {
		this.connected = true;
		SessionAccess access = Objects.requireNonNull(this.access, "no CONNECT");
		if (this.version != Packets.MQTT_5) {
			return;
		}
		if (connack.variableHeader().isSessionPresent()) {
			this.broker.subscriptions(this.clientId)
				.forEach((each) -> this.subscriptions.add(each.filter(), each.qos(),
						(each.identifier() != 0) ? each.identifier() : null));
		}
		this.undelivered = this.time.activity("unacknowledged messages to client '" + this.clientId + '\'');
		this.handle = new MqttClientConnection(new Client(this.clientId, this.principal), access.permissions(),
				address(), this, this.tasks, this.memory, this.undelivered);
		this.requests.connected(this.handle);
		this.listener.connected(this.handle);
	}

	/**
	 * Sends a message of the state store. Replies are sent according to the subscriptions
	 * of the client. Without a subscription of the client, a reply is published like an
	 * ordinary message, except on the topics of clients: a part of the id of one client
	 * may be the id of another.
	 * @param message the reply or notification
	 */
	void send(OutgoingMessage message) {
		if (this.ended) {
			return;
		}
		boolean awaitsAcknowledgment = false;
		try {
			awaitsAcknowledgment = transmit(message);
		}
		finally {
			if (!awaitsAcknowledgment) {
				this.undelivered.add(-1);
			}
		}
	}

	/** Sends a message, and returns whether the client will acknowledge it. */
	private boolean transmit(OutgoingMessage message) {
		Subscriptions.Match match = this.subscriptions.match(message.topic());
		if (message.kind() == Kind.NOTIFICATION) {
			return this.flow.publish(new OwnPublish(message, 1, (match != null) ? match.identifiers() : List.of()));
		}
		if (match != null) {
			return this.flow.publish(new OwnPublish(message, Math.min(1, match.qos()), match.identifiers()));
		}
		if (ReservedTopics.contain(message.topic())) {
			clientLog.warn("Dropped a reply to client '{}': no client can subscribe to the response topic '{}'",
					this.clientId, message.topic());
		}
		else if (message.topic().startsWith(OwnTopics.CLIENTS)) {
			clientLog.warn("Dropped a reply to client '{}': it has no subscription of its own to the response topic "
					+ "'{}'. Subscribe before the first request", this.clientId, message.topic());
		}
		else {
			this.broker.publish(message);
		}
		return false;
	}

	/**
	 * Handles a PUBACK of the client.
	 * @param packetId packet identifier
	 * @return whether it acknowledges a message of the state store
	 */
	boolean acknowledged(int packetId) {
		boolean ours = this.flow.acknowledged(packetId);
		if (ours) {
			this.undelivered.add(-1);
		}
		return ours;
	}

	/**
	 * Ends the connection. MQTT 5 clients receive a DISCONNECT first.
	 * @param reasonCode MQTT 5 reason code
	 * @param reason reason for the log and the client
	 */
	void disconnect(int reasonCode, String reason) {
		if (this.ended) {
			return;
		}
		clientLog.info("Disconnecting client '{}': {} (0x{})", this.clientId, reason, Integer.toHexString(reasonCode));
		end();
		if (this.connected && this.version == Packets.MQTT_5) {
			this.context.executor().schedule(() -> this.context.close(), DISCONNECT_TIMEOUT_SECONDS, TimeUnit.SECONDS);
			this.context.writeAndFlush(Packets.disconnect(reasonCode, reason)).addListener(ChannelFutureListener.CLOSE);
		}
		else {
			this.context.close();
		}
	}

	/**
	 * Ends the connection as {@link #disconnect} does. May be called by any thread.
	 * @param reasonCode MQTT 5 reason code
	 * @param reason reason for the log and the client
	 */
	void disconnectLater(int reasonCode, String reason) {
		this.tasks.execute(() -> disconnect(reasonCode, reason));
	}

	/**
	 * Disconnects a client that has sent no packet for 1.5 times its keep-alive. Has no
	 * effect while the server has suspended reading.
	 */
	void keepAliveExpired() {
		if (this.context.channel().config().isAutoRead()) {
			disconnect(KEEP_ALIVE_TIMEOUT, "nothing received for one and a half times its keep-alive");
		}
	}

	/** Closes the connection without a DISCONNECT. May be called by any thread. */
	void abort() {
		this.context.close();
	}

	/** Handles the end of the connection, before or after it is closed. */
	void end() {
		if (this.ended) {
			return;
		}
		this.ended = true;
		// First, because discarding a message may complete a request.
		this.requests.close();
		this.limits.close();
		this.flow.close();
		this.undelivered.close();
		if (this.handle != null) {
			this.listener.disconnected(this.handle);
		}
	}

	/**
	 * Closes the connection and reports an error to the listener.
	 * @param error error in the handling of this connection
	 */
	void failed(Error error) {
		this.context.close();
		this.listener.failed(error);
	}

	/** Handles the first or a further packet of a burst. */
	void readingStarted() {
		this.reading = true;
	}

	/** Handles the end of a burst of packets. */
	void readingPaused() {
		this.reading = false;
		this.context.flush();
	}

	private void flushUnlessReading() {
		if (!this.reading && !this.ended) {
			this.context.flush();
		}
	}

	/** Handles a change in whether the channel accepts further writes. */
	void writabilityChanged() {
		this.flow.drain();
		this.context.flush();
		updateReading();
	}

	/**
	 * Suspends reading while too many changes of the session are pending.
	 * @param full whether they are too many
	 */
	void pendingChanged(boolean full) {
		this.behind = full;
		updateReading();
	}

	/**
	 * Suspends reading while credentials are verified, requests or changes wait, the
	 * client does not read, or its principal has sent too many bytes.
	 */
	private void updateReading() {
		boolean reads = !this.authenticating && !this.requests.isFull() && !this.behind && !this.limits.isOverRate()
				&& this.context.channel().isWritable();
		ChannelConfig config = this.context.channel().config();
		if (reads && !config.isAutoRead()) {
			KeepAlive.restart(this.context.pipeline());
		}
		config.setAutoRead(reads);
	}

	/** Effects of the requests on this connection. */
	private final class RequestEvents implements RequestQueue.Events {

		@Override
		public void acknowledge(MqttMessage acknowledgment) {
			ClientSession.this.flow.acknowledge(acknowledgment);
		}

		@Override
		public void disconnect(int reasonCode, String reason) {
			ClientSession.this.disconnect(reasonCode, reason);
		}

		@Override
		public boolean isLocal() {
			InetAddress address = address();
			return address != null && address.isLoopbackAddress();
		}

		@Override
		public void heldChanged() {
			updateReading();
		}

	}

}
