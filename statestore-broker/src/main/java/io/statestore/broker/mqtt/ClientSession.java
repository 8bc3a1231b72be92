package io.statestore.broker.mqtt;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.LoopTasks;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.packet.Requests;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a client and what the state store has to do with it. Used on its
 * event loop only; {@link #handle} is the way in for other threads.
 */
final class ClientSession {

	private static final Logger logger = LoggerFactory.getLogger(ClientSession.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	static final int NOT_AUTHORIZED = 0x87;

	private static final int IMPLEMENTATION_SPECIFIC_ERROR = 0x83;

	private static final int KEEP_ALIVE_TIMEOUT = 0x8D;

	static final int QUOTA_EXCEEDED = 0x97;

	private static final int QOS_NOT_SUPPORTED = 0x9B;

	private static final int FIRST_FAILURE = 0x80;

	private static final int MAX_RECEIVE_MAXIMUM = 65_535;

	/** Maximum number of unanswered requests of one client. */
	static final int MAX_UNANSWERED = 1_024;

	static final long MAX_UNANSWERED_BYTES = 4L * 1024 * 1024;

	/** Estimated heap of a connection with its MQTT session, in bytes. */
	static final int CONNECTION_COST = 16 * 1024;

	/** Copies of client id and will in objects of the connection. */
	private static final int COPIES_OF_CONNECT = 4;

	/** For a client that does not even take the DISCONNECT. */
	static final long DISCONNECT_TIMEOUT_SECONDS = 5;

	private final ChannelHandlerContext context;

	private final ArtemisBridge broker;

	private final ClientListener listener;

	private final ClientShare memory;

	private final LoopTasks tasks;

	private final Subscriptions subscriptions = new Subscriptions();

	/**
	 * Requests that came before the broker was through with CONNECT or SUBSCRIBE, or
	 * before the state store was through with those before.
	 */
	private final Queue<MqttPublishMessage> held = new ArrayDeque<>();

	private OutboundFlow flow;

	private int version = Packets.MQTT_5;

	private String clientId = "";

	private boolean connected;

	private @Nullable ClientConnection handle;

	private int unanswered;

	private long unansweredBytes;

	private boolean delivering;

	private boolean ended;

	/** Whether too many packets wait for Artemis. */
	private boolean behind;

	/** Within a burst of packets from the client; its end flushes. */
	private boolean reading;

	ClientSession(ChannelHandlerContext context, ArtemisBridge broker, ClientListener listener, ClientShare memory) {
		this.context = context;
		this.memory = memory;
		this.broker = broker;
		this.listener = listener;
		this.tasks = new LoopTasks(context.channel().eventLoop(), this::flushUnlessReading, this::failed);
		this.flow = flow(MAX_RECEIVE_MAXIMUM, OutboundFlow.NO_LIMIT);
	}

	private OutboundFlow flow(int receiveMaximum, long maxPacketSize) {
		return new OutboundFlow(this.context, receiveMaximum, maxPacketSize, this.memory,
				() -> disconnect(QUOTA_EXCEEDED, "the memory of messages waiting for this client is exhausted"));
	}

	Subscriptions subscriptions() {
		return this.subscriptions;
	}

	OutboundFlow flow() {
		return this.flow;
	}

	boolean isConnected() {
		return this.connected;
	}

	boolean isEnded() {
		return this.ended;
	}

	/**
	 * Reserves the memory of a connection that is about to be accepted.
	 * @param connect its CONNECT
	 * @return whether it is reserved
	 */
	boolean tryReserve(MqttConnectMessage connect) {
		return this.memory.tryReserve(MemoryUse.CONNECTION,
				CONNECTION_COST + (long) COPIES_OF_CONNECT * connect.fixedHeader().remainingLength());
	}

	void connecting(MqttConnectMessage connect) {
		this.version = connect.variableHeader().version();
		this.clientId = connect.payload().clientIdentifier();
		MqttProperties properties = connect.variableHeader().properties();
		Integer receiveMaximum = Packets.property(properties, MqttPropertyType.RECEIVE_MAXIMUM, Integer.class);
		Integer maxPacketSize = Packets.property(properties, MqttPropertyType.MAXIMUM_PACKET_SIZE, Integer.class);
		this.flow = flow((receiveMaximum != null) ? receiveMaximum : MAX_RECEIVE_MAXIMUM,
				(maxPacketSize != null) ? Integer.toUnsignedLong(maxPacketSize) : OutboundFlow.NO_LIMIT);
	}

	/** The broker has accepted the client; the CONNACK is about to leave. */
	void connected(MqttConnAckMessage connack) {
		this.connected = true;
		if (this.version != Packets.MQTT_5) {
			return;
		}
		if (connack.variableHeader().isSessionPresent()) {
			this.broker.copySubscriptions(this.clientId, this.subscriptions);
		}
		this.handle = new MqttClientConnection(this.clientId, this, this.tasks, this.memory);
		this.listener.connected(this.handle);
	}

	/**
	 * The client has published to the request topic.
	 * @param publish the packet, whose reference is taken over
	 */
	void request(MqttPublishMessage publish) {
		if (isReady() && this.held.isEmpty()) {
			deliver(publish);
		}
		else {
			this.held.add(publish);
			updateReading();
		}
	}

	/**
	 * Whether the broker has carried out everything that was sent before a request, and
	 * the state store keeps up.
	 */
	private boolean isReady() {
		return this.connected && !this.subscriptions.areChanging() && this.unanswered < MAX_UNANSWERED
				&& this.unansweredBytes < MAX_UNANSWERED_BYTES;
	}

	/** The broker has answered a CONNECT, SUBSCRIBE or UNSUBSCRIBE, or we a request. */
	void deliverHeld() {
		// An answer that comes at once calls this again from within.
		if (!this.delivering) {
			this.delivering = true;
			while (!this.held.isEmpty() && isReady() && !this.ended) {
				deliver(this.held.remove());
			}
			this.delivering = false;
			updateReading();
		}
	}

	private void deliver(MqttPublishMessage publish) {
		int packetId = publish.variableHeader().packetId();
		int qos = publish.fixedHeader().qosLevel().value();
		int size = publish.payload().readableBytes();
		this.unanswered++;
		this.unansweredBytes += size;
		try {
			if (this.handle != null) {
				this.listener.request(Requests.of(publish, this.handle,
						(reason) -> this.tasks.execute(() -> answered(qos, packetId, reason, size))));
			}
			else {
				clientLog.warn("Ignored a request of client '{}': it connected with an MQTT version before 5",
						this.clientId);
				answered(qos, packetId, 0, size);
			}
		}
		catch (RuntimeException ex) {
			logger.error("Could not forward a request", ex);
			answered(qos, packetId, IMPLEMENTATION_SPECIFIC_ERROR, size);
		}
		finally {
			publish.release();
		}
	}

	private void answered(int qos, int packetId, int reasonCode, int size) {
		this.unanswered--;
		this.unansweredBytes -= size;
		acknowledge(qos, packetId, reasonCode);
		if (!this.held.isEmpty()) {
			deliverHeld();
		}
	}

	/**
	 * Refuses a PUBLISH to a topic on which clients must not publish.
	 * @param publish the packet, whose reference is taken over
	 */
	void refuse(MqttPublishMessage publish) {
		publish.release();
		clientLog.warn("Refused a message of client '{}': clients must not publish on '{}'", this.clientId,
				publish.variableHeader().topicName());
		acknowledge(publish.fixedHeader().qosLevel().value(), publish.variableHeader().packetId(), NOT_AUTHORIZED);
	}

	private void acknowledge(int qos, int packetId, int reasonCode) {
		if (this.ended || qos == 0) {
			return;
		}
		boolean promised = qos == 2 && reasonCode < FIRST_FAILURE && this.version == Packets.MQTT_5;
		this.flow.acknowledge(
				Packets.acknowledgement(this.version, qos, packetId, promised ? QOS_NOT_SUPPORTED : reasonCode));
	}

	void send(OutgoingMessage message) {
		if (this.ended) {
			return;
		}
		Subscriptions.Match match = this.subscriptions.match(message.topic());
		if (message.kind() == Kind.NOTIFICATION) {
			this.flow.publish(new OwnPublish(message, 1, (match != null) ? match.identifiers() : List.of()));
		}
		else if (match != null) {
			this.flow.publish(new OwnPublish(message, Math.min(1, match.qos()), match.identifiers()));
		}
		else if (ReservedTopics.contain(message.topic())) {
			clientLog.warn("Dropped a reply to client '{}': no client can subscribe to the response topic '{}'",
					this.clientId, message.topic());
		}
		else {
			this.broker.publish(message);
		}
	}

	/** End the connection from our side. */
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

	/** As {@link #disconnect}, from any thread. */
	void disconnectLater(int reasonCode, String reason) {
		this.tasks.execute(() -> disconnect(reasonCode, reason));
	}

	/**
	 * Ends the connection of a client that has sent nothing for too long, unless it is
	 * the server that does not read.
	 */
	void keepAliveExpired() {
		if (this.context.channel().config().isAutoRead()) {
			disconnect(KEEP_ALIVE_TIMEOUT, "nothing received for one and a half times its keep-alive");
		}
	}

	/** Ends the connection at once, from any thread. */
	void abort() {
		this.context.close();
	}

	/** The connection has ended or is about to. */
	void end() {
		if (this.ended) {
			return;
		}
		this.ended = true;
		this.flow.close();
		this.held.forEach(MqttPublishMessage::release);
		this.held.clear();
		if (this.handle != null) {
			this.listener.disconnected(this.handle);
		}
	}

	/** Ends the connection, and reports an error that occurred while it was served. */
	void failed(Error error) {
		this.context.close();
		this.listener.failed(error);
	}

	void readingStarted() {
		this.reading = true;
	}

	void readingPaused() {
		this.reading = false;
		this.context.flush();
	}

	private void flushUnlessReading() {
		if (!this.reading && !this.ended) {
			this.context.flush();
		}
	}

	void writabilityChanged() {
		this.flow.drain();
		this.context.flush();
		updateReading();
	}

	/**
	 * Suspends reading while too many packets of the client wait for Artemis.
	 * @param full whether it is too many
	 */
	void backlogChanged(boolean full) {
		this.behind = full;
		updateReading();
	}

	/** A client that does not take its answers is not asked for more. */
	private void updateReading() {
		boolean reads = this.held.isEmpty() && !this.behind && this.context.channel().isWritable();
		ChannelConfig config = this.context.channel().config();
		if (reads && !config.isAutoRead()) {
			KeepAlive.restart(this.context.pipeline());
		}
		config.setAutoRead(reads);
	}

}
