package io.statestore.broker.artemis.session;

import java.util.HashMap;
import java.util.Map;
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
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
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

	/** Estimated size of a stored message in addition to its packet. */
	private static final int STORED_COST = 512;

	private static final int QUOTA_EXCEEDED = 0x97;

	/** Number of copies of a client id and a will in objects of the session. */
	private static final int COPIES = 4;

	/** Estimated heap of a user property in addition to its text. */
	private static final int USER_PROPERTY_COST = 256;

	private final SessionLedger sessions;

	private final TopicLedger topics;

	private final DiskSpace disk;

	/** Space reserved for messages without an acknowledgment, by packet identifier. */
	private final Map<Integer, Long> storing = new HashMap<>();

	private final Consumer<Set<String>> stopDelivery;

	/** The session of the client, {@code null} before the CONNECT. */
	private @Nullable SessionMemory session;

	/** Guard of the subscriptions, {@code null} before the CONNECT. */
	private @Nullable SubscriptionGuard subscriptions;

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
		else if (this.session == null || this.subscriptions == null) {
			// Artemis refuses packets that precede the CONNECT.
			context.fireChannelRead(packet);
		}
		else {
			read(context, packet, this.session, this.subscriptions);
		}
	}

	private void read(ChannelHandlerContext context, MqttMessage packet, SessionMemory session,
			SubscriptionGuard subscriptions) {
		if (packet instanceof MqttPublishMessage publish) {
			readPublish(context, publish, session);
		}
		else if (packet instanceof MqttSubscribeMessage subscribe) {
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
				&& Packets.property(properties, MqttPropertyType.SESSION_EXPIRY_INTERVAL, Integer.class) != null) {
			properties.add(new IntegerProperty(MqttPropertyType.SESSION_EXPIRY_INTERVAL.value(), 0));
		}
	}

	private void readConnect(ChannelHandlerContext context, MqttConnectMessage connect) {
		this.mqtt5 = connect.variableHeader().version() == Packets.MQTT_5;
		this.clientId = Objects.requireNonNullElse(connect.payload().clientIdentifier(), "");
		Integer expiry = Packets.property(connect.variableHeader().properties(),
				MqttPropertyType.SESSION_EXPIRY_INTERVAL, Integer.class);
		this.lasting = this.mqtt5 ? expiry != null && expiry != 0 : !connect.variableHeader().isCleanSession();
		String internalId = QueueNames.clientId(this.clientId);
		SessionMemory session = this.sessions.attach(internalId);
		this.session = session;
		this.subscriptions = new SubscriptionGuard(session, this.clientId, this.mqtt5,
				new RetainedCopies(this.topics, this.disk), () -> refusedMemory(SessionSubscriptions.COST),
				this.stopDelivery);
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
			refuse(context);
		}
	}

	private void refuse(ChannelHandlerContext context) {
		clientLog.warn("Refused client '{}': the memory for its session is exhausted. " + Limits.RAISE_MEMORY,
				this.clientId);
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

	private static long userProperties(MqttProperties properties) {
		return (long) USER_PROPERTY_COST * properties.getProperties(MqttPropertyType.USER_PROPERTY.value()).size();
	}

	private void readPublish(ChannelHandlerContext context, MqttPublishMessage publish, SessionMemory session) {
		if (isStored(publish) && !tryReserveSpace(publish)) {
			clientLog.warn("Refused a message of client '{}': the disk is nearly full or failing. Check the disk",
					this.clientId);
			refuse(context, publish);
			return;
		}
		String exhausted = reserve(publish, session);
		if (exhausted == null) {
			context.fireChannelRead(publish);
			return;
		}
		stored(publish.variableHeader().packetId());
		clientLog.warn("Refused a message of client '{}': the memory for {} is exhausted. " + Limits.RAISE_MEMORY,
				this.clientId, exhausted);
		refuse(context, publish);
	}

	/** Returns whether a message is written to the disk, if there is a directory. */
	private static boolean isStored(MqttPublishMessage publish) {
		return publish.fixedHeader().qosLevel() != MqttQoS.AT_MOST_ONCE || publish.fixedHeader().isRetain();
	}

	private boolean tryReserveSpace(MqttPublishMessage publish) {
		long size = STORED_COST + publish.fixedHeader().remainingLength();
		long bytes = publish.fixedHeader().isRetain() ? 2 * size : size;
		if (!this.disk.tryReserve(bytes)) {
			return false;
		}
		Long earlier = this.storing.put(publish.variableHeader().packetId(), bytes);
		if (earlier != null) {
			this.disk.release(earlier);
		}
		return true;
	}

	/** Handles the answer to a message. */
	private void stored(int packetId) {
		Long bytes = this.storing.remove(packetId);
		if (bytes != null) {
			this.disk.release(bytes);
		}
	}

	private void refuse(ChannelHandlerContext context, MqttPublishMessage publish) {
		publish.release();
		if (!this.mqtt5) {
			// Acknowledgments before MQTT 5 cannot report the refusal.
			this.refused = true;
			context.close();
		}
		else if (publish.fixedHeader().qosLevel() != MqttQoS.AT_MOST_ONCE) {
			context.write(Packets.acknowledgment(Packets.MQTT_5, publish.fixedHeader().qosLevel().value(),
					publish.variableHeader().packetId(), QUOTA_EXCEEDED));
		}
	}

	/**
	 * Reserves the memory that a message takes beyond its delivery.
	 * @return the purpose for which memory is exhausted, or {@code null} if it is
	 * reserved
	 */
	private @Nullable String reserve(MqttPublishMessage publish, SessionMemory session) {
		boolean exactlyOnce = publish.fixedHeader().qosLevel() == MqttQoS.EXACTLY_ONCE;
		int packetId = publish.variableHeader().packetId();
		if (exactlyOnce && session.isUnreleased(packetId)) {
			// Artemis ignores the repetition.
			return null;
		}
		if (exactlyOnce && !session.tryReceive(packetId)) {
			return "another message of QoS 2 without PUBREL";
		}
		if (tryStore(publish, session)) {
			return null;
		}
		if (exactlyOnce) {
			session.released(packetId);
		}
		return publish.fixedHeader().isRetain() ? "a retained message" : "another topic";
	}

	private boolean tryStore(MqttPublishMessage publish, SessionMemory session) {
		String topic = publish.variableHeader().topicName();
		if (!publish.fixedHeader().isRetain()) {
			return this.topics.tryPublish(session.memory(), topic);
		}
		boolean clears = !publish.payload().isReadable();
		return this.topics.tryPublishRetained(session.memory(), topic, clears ? 0
				: publish.fixedHeader().remainingLength() + userProperties(publish.variableHeader().properties()));
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		Object written = message;
		if (this.session != null && this.subscriptions != null) {
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
				stored(Packets.packetId(packet));
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
		this.storing.values().forEach(this.disk::release);
		this.storing.clear();
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
