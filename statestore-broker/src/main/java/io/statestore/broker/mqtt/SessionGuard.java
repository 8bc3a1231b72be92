package io.statestore.broker.mqtt;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribePayload;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Channel handler that refuses packets for which the memory budget of a client is
 * exhausted: those that create sessions, subscriptions, retained messages, or topics.
 * Precedes Artemis in the pipeline of a connection.
 */
final class SessionGuard extends ChannelDuplexHandler {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(SessionGuard.class));

	private static final int FIRST_FAILURE = 0x80;

	private static final int IMPLEMENTATION_SPECIFIC_ERROR = 0x83;

	private static final int TOPIC_FILTER_INVALID = 0x8F;

	/** Copies of a client id and a will in objects of the session. */
	private static final int COPIES = 4;

	/** Estimated heap of a user property in addition to its text. */
	private static final int USER_PROPERTY_COST = 256;

	private final Object connectionId;

	private final ArtemisBridge broker;

	private final SessionLedger sessions;

	private final TopicLedger topics;

	private final PendingRequests pending = new PendingRequests();

	private @Nullable SessionMemory session;

	private String clientId = "";

	private boolean mqtt5;

	private boolean lasting;

	private boolean refused;

	/**
	 * Creates a guard.
	 * @param connectionId of the connection in Artemis
	 * @param broker gives access to Artemis
	 * @param sessions memory of sessions
	 * @param topics memory of topics
	 */
	SessionGuard(Object connectionId, ArtemisBridge broker, SessionLedger sessions, TopicLedger topics) {
		this.connectionId = connectionId;
		this.broker = broker;
		this.sessions = sessions;
		this.topics = topics;
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
		else if (this.session == null) {
			// Artemis refuses it.
			context.fireChannelRead(packet);
		}
		else {
			read(context, packet, this.session);
		}
	}

	private void read(ChannelHandlerContext context, MqttMessage packet, SessionMemory session) {
		if (packet instanceof MqttPublishMessage publish) {
			readPublish(context, publish, session);
		}
		else if (packet instanceof MqttSubscribeMessage subscribe) {
			readSubscribe(context, subscribe, session);
		}
		else if (packet instanceof MqttUnsubscribeMessage unsubscribe) {
			readUnsubscribe(context, unsubscribe, session);
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

	private void readUnsubscribe(ChannelHandlerContext context, MqttUnsubscribeMessage unsubscribe,
			SessionMemory session) {
		List<String> filters = unsubscribe.payload().topics().stream().map(QueueNames::internalFilter).toList();
		this.pending.unsubscribing(unsubscribe.variableHeader().messageId(), filters);
		Set<String> queues = session.queues(filters);
		List<String> stopping = new StoppingFilters(filters, context.executor(),
				() -> this.broker.stopDelivery(this.connectionId, queues));
		context.fireChannelRead(new MqttUnsubscribeMessage(unsubscribe.fixedHeader(),
				unsubscribe.idAndPropertiesVariableHeader(), new MqttUnsubscribePayload(stopping)));
	}

	/** A DISCONNECT must not make a session lasting (MQTT 5 section 3.14.2.2.2). */
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
		this.session = this.sessions.attach(QueueNames.clientId(this.clientId));
		long willSize = 0;
		long retainedWill = 0;
		if (connect.variableHeader().isWillFlag()) {
			String topic = connect.payload().willTopic();
			willSize = connect.fixedHeader().remainingLength() + userProperties(connect.payload().willProperties());
			if (connect.variableHeader().isWillRetain()) {
				retainedWill = TopicLedger.retainedCost(topic) + willSize;
			}
		}
		long size = COPIES * (this.clientId.length() + willSize);
		if (this.session.connecting(this.lasting, size, retainedWill)) {
			if (connect.variableHeader().isCleanSession()) {
				this.session.releasedAll();
			}
			context.fireChannelRead(ClientIds.internal(connect));
		}
		else {
			clientLog.warn("Refused client '{}': the memory for its session is exhausted. " + Limits.RAISE_MEMORY,
					this.clientId);
			ReferenceCountUtil.release(connect);
			this.refused = true;
			if (this.lasting) {
				this.sessions.refused(SessionMemory.SESSION_COST + size + retainedWill);
			}
			MqttConnectReturnCode code = this.mqtt5 ? MqttConnectReturnCode.CONNECTION_REFUSED_QUOTA_EXCEEDED
					: MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_UNAVAILABLE;
			context.writeAndFlush(MqttMessageBuilders.connAck().returnCode(code).sessionPresent(false).build())
				.addListener(ChannelFutureListener.CLOSE);
		}
	}

	private static long userProperties(MqttProperties properties) {
		return (long) USER_PROPERTY_COST * properties.getProperties(MqttPropertyType.USER_PROPERTY.value()).size();
	}

	private void readPublish(ChannelHandlerContext context, MqttPublishMessage publish, SessionMemory session) {
		String refusal = refusal(publish, session);
		if (refusal == null) {
			context.fireChannelRead(publish);
			return;
		}
		clientLog.warn("Refused a message of client '{}': the memory for {} is exhausted. " + Limits.RAISE_MEMORY,
				this.clientId, refusal);
		publish.release();
		if (!this.mqtt5) {
			// Acknowledgments before MQTT 5 cannot report the refusal.
			this.refused = true;
			context.close();
		}
		else if (publish.fixedHeader().qosLevel() != MqttQoS.AT_MOST_ONCE) {
			context.write(Packets.acknowledgement(Packets.MQTT_5, publish.fixedHeader().qosLevel().value(),
					publish.variableHeader().packetId(), ClientSession.QUOTA_EXCEEDED));
		}
	}

	/** Returns the purpose for which memory is exhausted, {@code null} if it is not. */
	private @Nullable String refusal(MqttPublishMessage publish, SessionMemory session) {
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

	private void readSubscribe(ChannelHandlerContext context, MqttSubscribeMessage subscribe, SessionMemory session) {
		int packetId = subscribe.variableHeader().messageId();
		// Sweeps keep the filters from the first reservation until the answer.
		session.changing(1);
		PendingSubscribe request = accept(subscribe.payload().topicSubscriptions(), session);
		if (request.isReduced()) {
			clientLog.warn(
					"Refused {} of {} subscriptions of client '{}': a filter is invalid, has the same topics as "
							+ "another shared or ordinary subscription, or memory is exhausted. " + Limits.RAISE_MEMORY,
					request.refusals().size() - request.accepted().size(), request.refusals().size(), this.clientId);
		}
		if (request.accepted().isEmpty() && request.isReduced()) {
			session.changing(-1);
			context.write(request.answer(packetId, List.of()));
			return;
		}
		if (this.pending.subscribing(packetId, request)) {
			session.changing(-1);
		}
		context.fireChannelRead(request.internal(subscribe));
	}

	private PendingSubscribe accept(List<MqttTopicSubscription> subscriptions, SessionMemory session) {
		List<MqttTopicSubscription> accepted = new ArrayList<>();
		List<Integer> refusals = new ArrayList<>();
		Set<String> added = new HashSet<>();
		for (MqttTopicSubscription subscription : subscriptions) {
			String filter = QueueNames.internalFilter(subscription.topicFilter());
			boolean known = session.contains(filter);
			int refusal = known ? PendingSubscribe.ACCEPTED : refusal(filter, session);
			// MQTT 3.1.1 has a single reason code (section 3.9.3).
			refusals.add((refusal == PendingSubscribe.ACCEPTED || this.mqtt5) ? refusal : FIRST_FAILURE);
			if (refusal == PendingSubscribe.ACCEPTED) {
				accepted.add(new MqttTopicSubscription(filter, subscription.option()));
				if (!known) {
					added.add(filter);
				}
			}
		}
		return new PendingSubscribe(accepted, refusals, added);
	}

	private int refusal(String filter, SessionMemory session) {
		if (filter.equals(QueueNames.INVALID_FILTER)) {
			return TOPIC_FILTER_INVALID;
		}
		String other = session.withSameTopics(filter);
		if (other != null && !this.pending.isUnsubscribing(other)) {
			// For Artemis, both would be the same subscription.
			return IMPLEMENTATION_SPECIFIC_ERROR;
		}
		if (!session.tryAdd(filter)) {
			if (this.lasting) {
				this.sessions.refused(SessionSubscriptions.COST);
			}
			return ClientSession.QUOTA_EXCEEDED;
		}
		return PendingSubscribe.ACCEPTED;
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		Object written = message;
		if (this.session != null) {
			if (message instanceof MqttConnAckMessage connack) {
				writeConnAck(connack, this.session);
			}
			else if (message instanceof MqttSubAckMessage suback) {
				written = subscribed(suback, this.session);
			}
			else if (message instanceof MqttUnsubAckMessage unsuback) {
				unsubscribed(unsuback, this.session);
			}
		}
		context.write(written, promise);
	}

	private void writeConnAck(MqttConnAckMessage connack, SessionMemory session) {
		if (connack.variableHeader().connectReturnCode() != MqttConnectReturnCode.CONNECTION_ACCEPTED) {
			return;
		}
		session.started(connack.variableHeader().isSessionPresent(), this.pending.requestedFilters());
	}

	private MqttSubAckMessage subscribed(MqttSubAckMessage suback, SessionMemory session) {
		PendingSubscribe request = this.pending.subscribed(suback.variableHeader().messageId());
		if (request == null) {
			return suback;
		}
		List<Integer> reasons = suback.payload().reasonCodes();
		List<String> filters = request.filters();
		for (int i = 0; i < filters.size() && i < reasons.size(); i++) {
			if ((reasons.get(i) & 0xFF) < FIRST_FAILURE) {
				session.add(filters.get(i));
			}
			else if (request.added().contains(filters.get(i))) {
				session.remove(filters.get(i));
			}
		}
		session.changing(-1);
		return request.isReduced() ? request.answer(suback.variableHeader().messageId(), reasons) : suback;
	}

	private void unsubscribed(MqttUnsubAckMessage unsuback, SessionMemory session) {
		List<String> filters = this.pending.unsubscribed(unsuback.variableHeader().messageId());
		if (filters == null) {
			return;
		}
		List<Short> reasons = this.mqtt5 ? unsuback.payload().unsubscribeReasonCodes() : List.of();
		for (int i = 0; i < filters.size(); i++) {
			boolean removed = i >= reasons.size() || (reasons.get(i) & 0xFF) < FIRST_FAILURE;
			if (removed && !this.pending.requestedFilters().contains(filters.get(i))) {
				session.remove(filters.get(i));
			}
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		SessionMemory session = this.session;
		if (session != null) {
			this.session = null;
			this.refused = true;
			session.changing(-this.pending.subscribes());
			session.detach();
		}
		context.fireChannelInactive();
	}

}
