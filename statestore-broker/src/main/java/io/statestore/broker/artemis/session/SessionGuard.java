package io.statestore.broker.artemis.session;

import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.artemis.disk.DiskSpace;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Channel handler that refuses packets for which the memory of a client is exhausted:
 * those that create sessions, subscriptions, retained messages, or topics. Precedes
 * Artemis in the pipeline of a connection.
 */
final class SessionGuard extends ChannelDuplexHandler {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(SessionGuard.class));

	/** Number of copies of a client id and a will in objects of the session. */
	private static final int COPIES = 4;

	/** Estimated heap of a user property in addition to its text. */
	private static final int USER_PROPERTY_COST = 256;

	private final SessionLedger sessions;

	private final TopicLedger topics;

	private final DiskSpace disk;

	private final Consumer<Set<String>> stopDelivery;

	/** The session of the client, {@code null} before the CONNECT. */
	private @Nullable SessionMemory session;

	/** Guard of the subscriptions, {@code null} before the CONNECT. */
	private @Nullable SubscriptionGuard subscriptions;

	/** Guard of the messages, {@code null} before the CONNECT. */
	private @Nullable PublishGuard messages;

	private String clientId = "";

	private boolean mqtt5;

	/** Whether the session outlives the connection. */
	private boolean lasting;

	/** Whether the client was refused, so that further packets are dropped. */
	private boolean refused;

	/**
	 * Creates a guard for one connection.
	 * @param sessions memory of sessions
	 * @param topics memory of topics
	 * @param disk space for messages that are stored
	 * @param stopDelivery stops deliveries from the queues with given names to this
	 * connection, and waits for deliveries in progress
	 */
	SessionGuard(SessionLedger sessions, TopicLedger topics, DiskSpace disk, Consumer<Set<String>> stopDelivery) {
		this.sessions = sessions;
		this.topics = topics;
		this.disk = disk;
		this.stopDelivery = stopDelivery;
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (this.refused) {
			ReferenceCountUtil.release(message);
		}
		else if (!(message instanceof MqttMessage packet) || packet.decoderResult().isFailure()) {
			context.fireChannelRead(message);
		}
		else if (packet instanceof MqttConnectMessage connect) {
			readConnect(context, connect);
		}
		else if (this.session == null || this.subscriptions == null || this.messages == null) {
			// Artemis refuses packets that precede the CONNECT.
			context.fireChannelRead(packet);
		}
		else if (packet instanceof MqttPublishMessage publish) {
			this.refused = !this.messages.read(context, publish);
		}
		else {
			read(context, packet, this.session, this.subscriptions);
		}
	}

	private void read(ChannelHandlerContext context, MqttMessage packet, SessionMemory session,
			SubscriptionGuard subscriptions) {
		if (packet instanceof MqttSubscribeMessage subscribe) {
			subscriptions.read(context, subscribe);
		}
		else if (packet instanceof MqttUnsubscribeMessage unsubscribe) {
			subscriptions.read(context, unsubscribe);
		}
		else {
			if (packet.fixedHeader().messageType() == MqttMessageType.PUBREL) {
				session.released(Packets.packetId(packet));
			}
			else if (packet.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header) {
				keepSessionExpiry(header.properties());
			}
			context.fireChannelRead(packet);
		}
	}

	/**
	 * Prevents a DISCONNECT from making a session outlive its connection (MQTT 5 section
	 * 3.14.2.2.2).
	 */
	private void keepSessionExpiry(MqttProperties properties) {
		if (!this.lasting
				&& Packets.property(properties, MqttProperties.SESSION_EXPIRY_INTERVAL, Integer.class) != null) {
			properties.add(new IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, 0));
		}
	}

	private void readConnect(ChannelHandlerContext context, MqttConnectMessage connect) {
		this.mqtt5 = connect.variableHeader().version() == Packets.MQTT_5;
		this.clientId = Objects.requireNonNullElse(connect.payload().clientIdentifier(), "");
		Integer expiry = Packets.property(connect.variableHeader().properties(), MqttProperties.SESSION_EXPIRY_INTERVAL,
				Integer.class);
		this.lasting = this.mqtt5 ? expiry != null && expiry != 0 : !connect.variableHeader().isCleanSession();
		String internalId = QueueNames.clientId(this.clientId);
		SessionMemory session = this.sessions.attach(internalId);
		this.session = session;
		this.subscriptions = new SubscriptionGuard(session, this.clientId, this.mqtt5,
				new RetainedCopies(this.topics, this.disk), () -> refusedMemory(SessionSubscriptions.COST),
				this.stopDelivery);
		this.messages = new PublishGuard(session, this.topics, this.disk, this.clientId, this.mqtt5);
		long willSize = 0;
		long retainedWill = 0;
		if (connect.variableHeader().isWillFlag()) {
			String topic = connect.payload().willTopic();
			willSize = connect.fixedHeader().remainingLength() + userProperties(connect.payload().willProperties());
			if (connect.variableHeader().isWillRetain()) {
				retainedWill = RetainedMessages.cost(topic) + willSize;
			}
		}
		long size = COPIES * (this.clientId.length() + willSize);
		if (session.tryConnect(this.lasting, size, retainedWill)) {
			if (connect.variableHeader().isCleanSession()) {
				session.releasedAll();
			}
			context.fireChannelRead(Packets.withClientId(connect, internalId));
		}
		else {
			ReferenceCountUtil.release(connect);
			refusedMemory(SessionMemory.SESSION_COST + size + retainedWill);
			refuse(context, session);
		}
	}

	private void refuse(ChannelHandlerContext context, SessionMemory session) {
		clientLog.warn("Refused client '{}': the memory for its session is exhausted. " + Limits.RAISE_MEMORY,
				this.clientId, session.memory().largestHolder());
		this.refused = true;
		context.writeAndFlush(Packets.refusalForMemory(this.mqtt5 ? Packets.MQTT_5 : 0))
			.addListener(ChannelFutureListener.CLOSE);
	}

	/** Reports a refusal, so that sessions without a connection make room. */
	private void refusedMemory(long bytes) {
		if (this.lasting) {
			this.sessions.refused(bytes);
		}
	}

	/** Returns the estimated heap of user properties in addition to their text. */
	static long userProperties(MqttProperties properties) {
		return (long) USER_PROPERTY_COST * properties.getProperties(MqttProperties.USER_PROPERTY).size();
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		Object written = message;
		if (this.session != null && this.subscriptions != null && this.messages != null) {
			if (message instanceof MqttConnAckMessage connack) {
				connected(connack, this.session, this.subscriptions);
			}
			else if (message instanceof MqttSubAckMessage suback) {
				written = this.subscriptions.subscribed(suback);
			}
			else if (message instanceof MqttUnsubAckMessage unsuback) {
				this.subscriptions.unsubscribed(unsuback);
			}
			else if (message instanceof MqttMessage packet && isAcknowledgment(packet)) {
				this.messages.answered(Packets.packetId(packet));
			}
		}
		context.write(written, promise);
	}

	private static boolean isAcknowledgment(MqttMessage packet) {
		MqttMessageType type = packet.fixedHeader().messageType();
		return type == MqttMessageType.PUBACK || type == MqttMessageType.PUBREC;
	}

	private static void connected(MqttConnAckMessage connack, SessionMemory session, SubscriptionGuard subscriptions) {
		if (connack.variableHeader().connectReturnCode() == MqttConnectReturnCode.CONNECTION_ACCEPTED) {
			session.started(connack.variableHeader().isSessionPresent(), subscriptions.requestedFilters());
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		if (this.messages != null) {
			this.messages.close();
		}
		SessionMemory session = this.session;
		if (session != null && this.subscriptions != null) {
			this.session = null;
			this.refused = true;
			this.subscriptions.close();
			session.detach();
		}
		context.fireChannelInactive();
	}

}
