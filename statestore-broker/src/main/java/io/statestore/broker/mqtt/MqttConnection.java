package io.statestore.broker.mqtt;

import java.net.InetAddress;
import java.util.List;
import java.util.function.Consumer;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.broker.engine.Requester;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.mqtt.OutboundFlow.Receiver;
import io.statestore.broker.mqtt.SessionLifecycle.Begun;
import io.statestore.broker.packet.FrameGuard;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.broker.session.Session;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import io.statestore.time.Activity;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A client's connection, with its requests, messages, and subscriptions, which exist once
 * its CONNECT is executed. Used only on the connection's event loop, except for the
 * methods of {@link ClientConnection}, which dispatch to it.
 */
@SuppressWarnings("NullAway.Init") // Set when the CONNECT is executed, before other
									// packets.
final class MqttConnection implements ClientConnection {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(MqttConnection.class));

	private final ClientLink link;

	private final SessionServer server;

	private final ClientListener listener;

	private final AuditLog audit;

	private final ClientAdmission admission;

	private final PendingChanges pending;

	private @Nullable SessionLifecycle lifecycle;

	private OutboundFlow flow;

	private RequestQueue requests;

	private IncomingMessages messages;

	private Subscriptions subscriptions;

	private TopicAccess access;

	private Requester requester;

	/** Tracks the state store messages that the client has not acknowledged. */
	private Activity undelivered = Activity.UNTRACKED;

	/** Whether the client is waiting for the answer to its CONNECT. */
	private boolean waiting;

	/**
	 * Creates a connection without requests.
	 * @param context the connection handler's context
	 * @param server the MQTT sessions
	 * @param listener receives requests
	 * @param memory the client's memory share
	 * @param audit receives denials
	 */
	MqttConnection(ChannelHandlerContext context, SessionServer server, ClientListener listener, ClientShare memory,
			AuditLog audit) {
		this.server = server;
		this.listener = listener;
		this.audit = audit;
		this.link = new ClientLink(context, memory, listener::failed, this::ended);
		this.admission = new ClientAdmission(this.link, settings().security(), settings().principals());
		this.pending = new PendingChanges(this.link, server.log(), this::updateReading);
	}

	ClientLink link() {
		return this.link;
	}

	MqttBrokerSettings settings() {
		return this.server.settings();
	}

	/** Returns the client's memory, permissions, and limits. */
	ClientAdmission admission() {
		return this.admission;
	}

	/** Returns this connection's requests. */
	RequestQueue requests() {
		return this.requests;
	}

	/** Returns this connection's outgoing messages. */
	OutboundFlow flow() {
		return this.flow;
	}

	/** Returns the handler for ordinary messages from the client. */
	IncomingMessages messages() {
		return this.messages;
	}

	/** Returns this connection's subscriptions. */
	Subscriptions subscriptions() {
		return this.subscriptions;
	}

	/** Suspends reading while the client is waiting for the answer to its CONNECT. */
	void setWaiting(boolean waiting) {
		this.waiting = waiting;
		updateReading();
	}

	/** Returns an authenticated client's access to topics. */
	TopicAccess access(Client client, Permissions permissions) {
		return new TopicAccess(client, permissions, this.link.address(), this.audit);
	}

	/**
	 * Executes the CONNECT of an accepted client.
	 * @param connect the client's CONNECT
	 * @param access the client's access to topics
	 * @param outcome receives the result, possibly before this method returns, or
	 * {@code null} if memory or disk space is exhausted
	 */
	void connect(MqttConnectMessage connect, TopicAccess access, Consumer<@Nullable Begun> outcome) {
		MqttProperties properties = connect.variableHeader().properties();
		Receiver receiver = new Receiver(
				(int) Packets.interval(properties, MqttProperties.RECEIVE_MAXIMUM, Integer.MAX_VALUE),
				Packets.interval(properties, MqttProperties.MAXIMUM_PACKET_SIZE, Long.MAX_VALUE), access::mayReceive);
		SessionLifecycle lifecycle = new SessionLifecycle(this.link, this.server, this.pending, access, connect);
		this.lifecycle = lifecycle;
		lifecycle.begin(connect, (begun) -> {
			if (begun != null) {
				begin(access, receiver, begun.stored(), begun.connectionNumber());
			}
			outcome.accept(begun);
		});
	}

	private void begin(TopicAccess access, Receiver receiver, @Nullable Session stored, long connectionNumber) {
		String clientId = this.link.clientId();
		this.undelivered = settings().time().activity("unacknowledged messages to client '" + clientId + '\'');
		this.flow = new OutboundFlow(this.link, receiver, this.pending, connectionNumber, this.undelivered);
		// Of a session that is not stored, the state contains at most the will.
		Session session = (stored != null) ? stored
				: Session.of(clientId, access.client().principal().name(), this.flow);
		this.messages = new IncomingMessages(this.link, this.pending, access, session, connectionNumber);
		this.subscriptions = new Subscriptions(this.link, this.pending, access, session, connectionNumber,
				() -> this.requests.deliverHeld());
		this.access = access;
		this.requester = ClientConnection.super.requester();
		this.requests = new RequestQueue(this, this.listener, access, this.admission.share());
		if (this.link.isMqtt5()) {
			this.listener.connected(this);
		}
		if (stored != null) {
			this.pending.log().attach(clientId, connectionNumber, this.flow);
		}
	}

	@Override
	public void send(OutgoingMessage message) {
		this.undelivered.add(1);
		this.link.tasks().execute(() -> {
			boolean awaitsAcknowledgment = false;
			try {
				awaitsAcknowledgment = !this.link.isEnded() && transmit(message);
			}
			finally {
				if (!awaitsAcknowledgment) {
					this.undelivered.add(-1);
				}
			}
		});
	}

	/**
	 * Sends a state store message. If the client has a subscription for a reply's topic,
	 * the reply is sent accordingly. Otherwise, it is published like an ordinary message,
	 * unless it is on a client topic, where part of one client's id may be another
	 * client's id.
	 * @param message the reply or notification
	 * @return whether the client will acknowledge the message
	 */
	private boolean transmit(OutgoingMessage message) {
		Subscriptions.Match match = this.subscriptions.match(message.topic());
		if (message.kind() == Kind.NOTIFICATION) {
			return this.flow.publish(new OwnPublish(message, 1, (match != null) ? match.identifiers() : List.of()));
		}
		if (match != null) {
			return this.flow.publish(new OwnPublish(message, Math.min(1, match.qos()), match.identifiers()));
		}
		if (TopicDecision.isReserved(message.topic())) {
			clientLog.warn("Dropped a reply to client '{}': no client can subscribe to the response topic '{}'",
					this.link.clientId(), message.topic());
		}
		else if (message.topic().startsWith(OwnTopics.CLIENTS)) {
			clientLog.warn("Dropped a reply to client '{}': it has not subscribed to the response topic '{}'. "
					+ "Subscribe before the first request", this.link.clientId(), message.topic());
		}
		else {
			this.server.publish(message);
		}
		return false;
	}

	/**
	 * Disconnects a client that has not sent a packet for 1.5 times its keep-alive. Has
	 * no effect while the server has suspended reading.
	 */
	void keepAliveExpired() {
		if (this.link.context().channel().config().isAutoRead()) {
			this.link.disconnect(ReasonCodes.KEEP_ALIVE_TIMEOUT,
					"nothing received for one and a half times its keep-alive");
		}
	}

	/** Handles a DISCONNECT from the client. */
	void disconnected(MqttMessage disconnect) {
		if (this.lifecycle != null) {
			this.lifecycle.disconnected(disconnect);
		}
		this.link.end();
		this.link.close();
	}

	/** Handles the end of the connection. */
	private void ended() {
		if (this.requests != null) {
			this.requests.close();
			this.flow.close();
			this.subscriptions.close();
		}
		this.admission.close();
		if (this.lifecycle != null) {
			this.lifecycle.end();
		}
		this.undelivered.close();
		if (this.requests != null && this.link.isMqtt5()) {
			this.listener.disconnected(this);
		}
	}

	/** Handles a change in whether the channel accepts more writes. */
	void writabilityChanged() {
		if (this.flow != null) {
			this.flow.drain();
		}
		this.link.flush();
		updateReading();
	}

	/**
	 * Suspends reading while the client is waiting for its CONNACK, too many requests or
	 * changes are in progress, or the client is not reading.
	 */
	void updateReading() {
		boolean full = this.requests != null && this.requests.isFull();
		boolean reads = !this.waiting && !full && !this.pending.isFull() && this.link.context().channel().isWritable();
		ChannelConfig config = this.link.context().channel().config();
		if (reads && !config.isAutoRead()) {
			KeepAlive.restart(this.link.context().pipeline());
			FrameGuard.resume(this.link.context().pipeline());
		}
		config.setAutoRead(reads);
	}

	@Override
	public String clientId() {
		return this.access.client().clientId();
	}

	@Override
	public ClientPrincipal principal() {
		return this.access.client().principal();
	}

	@Override
	public Requester requester() {
		return this.requester;
	}

	@Override
	public Permissions permissions() {
		return this.access.permissions();
	}

	@Override
	public @Nullable InetAddress address() {
		return this.link.address();
	}

	@Override
	public ClientShare memory() {
		return this.link.memory();
	}

	/** Discards notifications for a key that are waiting to be sent. */
	@Override
	public void watchEnded(Bytes key) {
		this.link.tasks()
			.execute(() -> this.undelivered.add(-this.flow.discardNotifications(Topics.notification(clientId(), key))));
	}

	@Override
	public void disconnect(int reasonCode, String reason) {
		this.link.disconnectLater(reasonCode, reason);
	}

	@Override
	public void abort() {
		this.link.abort();
	}

	@Override
	public String toString() {
		return this.link.clientId();
	}

}
