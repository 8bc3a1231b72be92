package io.statestore.broker.mqtt;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageIdAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubAckPayload;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.handler.codec.mqtt.MqttUnsubAckPayload;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.LoopTasks;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.session.Applied;
import io.statestore.broker.session.Applied.Connected;
import io.statestore.broker.session.Delivery;
import io.statestore.broker.session.Message;
import io.statestore.broker.session.Session;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionLog;
import io.statestore.broker.session.Sessions;
import io.statestore.broker.session.Subscription;
import io.statestore.broker.session.Will;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Channel handler that connects a client to its session, at the end of the pipeline. It
 * executes the packets of ordinary messages in the order of their arrival. Runs on the
 * event loop of its channel. Other threads may call {@link #takenOver} and
 * {@link #disconnectLater}.
 */
@SuppressWarnings("NullAway.Init") // Set in handlerAdded, which is called first.
final class SessionHandler extends ChannelInboundHandlerAdapter {

	private static final Logger logger = LoggerFactory.getLogger(SessionHandler.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	private static final int MALFORMED_PACKET = 0x81;

	private static final int PROTOCOL_ERROR = 0x82;

	private static final int IMPLEMENTATION_SPECIFIC_ERROR = 0x83;

	private static final int NOT_AUTHORIZED = 0x87;

	private static final int SESSION_TAKEN_OVER = 0x8E;

	private static final int PACKET_ID_NOT_FOUND = 0x92;

	private static final int RECEIVE_MAXIMUM_EXCEEDED = 0x93;

	private static final int TOPIC_ALIAS_INVALID = 0x94;

	private static final int QUOTA_EXCEEDED = 0x97;

	private static final int NO_SUBSCRIPTION_EXISTED = 0x11;

	/** Reason code of a SUBACK before MQTT 5. */
	private static final int SUBSCRIBE_FAILED = 0x80;

	/**
	 * Receive Maximum of this broker, and the number of messages with QoS 2 of a client
	 * of any version whose PUBREL is missing.
	 */
	static final int RECEIVE_MAXIMUM = 4_096;

	private static final long CLOSE_TIMEOUT_SECONDS = 10;

	private final SessionServer server;

	private final ClientShare memory;

	private final PendingChanges pending;

	/** Packets that have arrived before the CONNECT was executed. */
	private @Nullable Queue<MqttMessage> early;

	private ChannelHandlerContext context;

	private LoopTasks tasks;

	private @Nullable Session session;

	private SessionDeliveries deliveries;

	private SessionAccess access;

	private String clientId = "";

	private String principal = "";

	private boolean mqtt5;

	private long expirySeconds;

	/** Whether the client has requested a longer session expiry. */
	private boolean expiryReduced;

	/** Number of the connection in the log, 0 if it is not known there. */
	private long connection;

	private int keepAliveSeconds;

	/**
	 * Packet identifiers of messages with QoS 2 of this connection whose PUBREL is
	 * missing.
	 */
	private final BitSet unreleased = new BitSet(0);

	private int unreleasedCount;

	private boolean reading;

	/** Whether the CONNECT is pending. */
	private boolean connecting;

	private boolean ended;

	/** Whether the will of an ended connection may be published. */
	private boolean keepsWill = true;

	SessionHandler(SessionServer server, ClientShare memory) {
		this.server = server;
		this.memory = memory;
		this.pending = new PendingChanges(memory, server.log()::isCrowded);
	}

	/** Sets what is told whether too many changes are pending. */
	void setPendingListener(Consumer<Boolean> listener) {
		this.pending.setListener(listener);
	}

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		this.context = context;
		this.tasks = new LoopTasks(context.channel().eventLoop(), this::flush, this::failed);
	}

	private void flush() {
		if (!this.reading) {
			this.context.flush();
		}
	}

	private void failed(Throwable failure) {
		exceptionCaught(this.context, failure);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object received) {
		this.reading = true;
		if (this.ended || !(received instanceof MqttMessage packet)) {
			ReferenceCountUtil.release(received);
			return;
		}
		if (this.early != null) {
			this.early.add(packet);
			return;
		}
		SessionDeliveries.beginBurst();
		try {
			if (packet.decoderResult().isFailure()) {
				disconnect(MALFORMED_PACKET, "a malformed packet");
			}
			else {
				read(packet);
			}
		}
		finally {
			ReferenceCountUtil.release(packet);
		}
	}

	private void read(MqttMessage packet) {
		MqttMessageType type = packet.fixedHeader().messageType();
		if (type == MqttMessageType.CONNECT) {
			connect((MqttConnectMessage) packet);
			return;
		}
		Session session = this.session;
		if (session == null) {
			this.context.close();
			return;
		}
		switch (type) {
			case PUBLISH -> publish((MqttPublishMessage) packet, session);
			case PUBACK, PUBCOMP -> this.deliveries.completed(Packets.packetId(packet));
			case PUBREC -> received(packet);
			case PUBREL -> released(Packets.packetId(packet), session);
			case SUBSCRIBE -> subscribe((MqttSubscribeMessage) packet, session);
			case UNSUBSCRIBE -> unsubscribe((MqttUnsubscribeMessage) packet, session);
			case PINGREQ -> write(MqttMessage.PINGRESP);
			case DISCONNECT -> disconnected(packet);
			default -> disconnect(PROTOCOL_ERROR, "a packet of type " + type);
		}
	}

	private void connect(MqttConnectMessage connect) {
		MqttProperties properties = connect.variableHeader().properties();
		this.clientId = connect.payload().clientIdentifier();
		this.mqtt5 = connect.variableHeader().version() == Packets.MQTT_5;
		this.keepAliveSeconds = connect.variableHeader().keepAliveTimeSeconds();
		boolean cleanStart = connect.variableHeader().isCleanSession();
		long expiry = this.mqtt5 ? interval(properties, MqttProperties.SESSION_EXPIRY_INTERVAL, 0)
				: cleanStart ? 0 : Sessions.NO_EXPIRY;
		this.expirySeconds = Math.min(expiry, this.server.settings().maxSessionExpirySeconds());
		this.expiryReduced = this.expirySeconds < expiry;
		Integer maximum = Packets.property(properties, MqttProperties.RECEIVE_MAXIMUM, Integer.class);
		int receiveMaximum = (maximum != null) ? Math.min(Delivery.MAX_PACKET_ID, maximum) : Delivery.MAX_PACKET_ID;
		long maxPacketSize = interval(properties, MqttProperties.MAXIMUM_PACKET_SIZE, Long.MAX_VALUE);
		if (receiveMaximum == 0 || maxPacketSize == 0) {
			// MQTT 5 sections 3.1.2.11.3 and 3.1.2.11.4
			refuse(ConnectRefusals.connack(MqttConnectReturnCode.CONNECTION_REFUSED_PROTOCOL_ERROR));
			return;
		}
		this.access = Objects.requireNonNull(this.context.channel().attr(SessionAccess.ATTRIBUTE).get(), "no access");
		this.deliveries = new SessionDeliveries(this.context, this.memory, new SessionDeliveries.Client(this.mqtt5,
				receiveMaximum, maxPacketSize, this.access.topics()::mayReceive), new DeliveryOwner());
		this.principal = this.access.principal().name();
		@Nullable Will will;
		try {
			will = connect.variableHeader().isWillFlag() ? will(connect) : null;
		}
		catch (DecoderException ex) {
			disconnect(MALFORMED_PACKET, "a will with " + ex.getMessage());
			return;
		}
		// The log has the connections of a client in the order in which they take over.
		synchronized (this.server.lock(this.clientId)) {
			boolean logged = this.expirySeconds > 0 || will != null
					|| this.server.log().sessions().find(this.clientId) != null
					|| this.server.isConnected(this.clientId);
			boolean keepsWill = this.server.mayPublishWill(this.clientId);
			this.server.connected(this.clientId, this);
			if (logged) {
				this.server.setCondition(this.clientId, this.access.willCondition());
				this.early = new ArrayDeque<>();
				this.connecting = true;
				append(new SessionChange.Connect(this.clientId, this.principal, cleanStart, this.expirySeconds, will,
						keepsWill), this::connected, this::refuseForMemory);
				this.pending.waitForConnect();
				return;
			}
		}
		connected(Session.of(this.clientId, this.principal, this.deliveries), false);
	}

	private static long interval(MqttProperties properties, int type, long absent) {
		Integer value = Packets.property(properties, type, Integer.class);
		return (value != null) ? Integer.toUnsignedLong(value) : absent;
	}

	private Will will(MqttConnectMessage connect) {
		MqttProperties properties = connect.payload().willProperties();
		byte[] payload = connect.payload().willMessageInBytes();
		return new Will(
				new Message(Publications.valid(connect.payload().willTopic()), Publications.forwarded(properties),
						(payload != null) ? payload : new byte[0], connect.variableHeader().willQos(),
						connect.variableHeader().isWillRetain(), Message.NEVER, this.clientId),
				interval(properties, MqttProperties.WILL_DELAY_INTERVAL, 0),
				interval(properties, MqttProperties.PUBLICATION_EXPIRY_INTERVAL, -1));
	}

	private void connected(Applied applied) {
		this.connecting = false;
		Connected connected = applied.connected();
		if (connected == null) {
			warnOfMemory("a session");
			this.memory.refuse(MemoryUse.SESSION);
			refuseForMemory();
			return;
		}
		this.connection = connected.number();
		if (this.ended) {
			this.server.disconnected(this.clientId, this);
			disconnectInLog();
			return;
		}
		Session session = connected.stored() ? this.server.log().sessions().find(this.clientId)
				: Session.of(this.clientId, this.principal, this.deliveries);
		if (session != null) {
			connected(session, connected.present());
		}
		else {
			// Another connection has taken over, and ended the session.
			this.context.close();
		}
	}

	/** Refuses the CONNECT because memory or the disk is exhausted. */
	private void refuseForMemory() {
		refuse(Packets.refusalForMemory(this.mqtt5 ? Packets.MQTT_5 : 0));
	}

	private void refuse(MqttMessage connack) {
		this.connecting = false;
		this.server.disconnected(this.clientId, this);
		if (!this.ended) {
			end(true);
			this.context.writeAndFlush(connack).addListener(ChannelFutureListener.CLOSE);
		}
	}

	private void connected(Session session, boolean present) {
		this.session = session;
		MqttProperties properties = new MqttProperties();
		if (this.mqtt5) {
			properties
				.add(new IntegerProperty(MqttProperties.MAXIMUM_PACKET_SIZE, this.server.settings().maxPacketSize()));
			properties.add(new IntegerProperty(MqttProperties.RECEIVE_MAXIMUM, RECEIVE_MAXIMUM));
			properties.add(new IntegerProperty(MqttProperties.TOPIC_ALIAS_MAXIMUM, 0));
			if (this.expiryReduced) {
				properties.add(new IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, (int) this.expirySeconds));
			}
			if (this.keepAliveSeconds == 0) {
				properties.add(new IntegerProperty(MqttProperties.SERVER_KEEP_ALIVE, KeepAlive.MAX_SECONDS));
			}
		}
		MqttConnAckMessage connack = MqttMessageBuilders.connAck()
			.returnCode(MqttConnectReturnCode.CONNECTION_ACCEPTED)
			.sessionPresent(present)
			.properties(properties)
			.build();
		write(connack);
		if (session.isStored()) {
			this.server.log().attach(this.clientId, this.connection, this.deliveries);
		}
		Queue<MqttMessage> early = this.early;
		this.early = null;
		this.pending.connected();
		while (early != null && !early.isEmpty()) {
			channelRead(this.context, early.remove());
		}
		channelReadComplete(this.context);
	}

	private void publish(MqttPublishMessage publish, Session session) {
		int qos = publish.fixedHeader().qosLevel().value();
		int packetId = publish.variableHeader().packetId();
		if (publish.variableHeader().properties().getProperty(MqttProperties.TOPIC_ALIAS) != null) {
			disconnect(TOPIC_ALIAS_INVALID, "a topic alias, which the broker does not support");
			return;
		}
		if (!this.access.topics().mayPublish(publish.variableHeader().topicName())) {
			deny(publish, session);
			return;
		}
		if (qos == 2 && this.unreleasedCount == RECEIVE_MAXIMUM && !this.unreleased.get(packetId)) {
			disconnect(RECEIVE_MAXIMUM_EXCEEDED,
					"more than " + RECEIVE_MAXIMUM + " messages with QoS 2 without a PUBREL");
			return;
		}
		boolean stored = session.isStored();
		if (qos == 2 && !stored && !session.receive(packetId)) {
			inOrder(() -> acknowledge(qos, packetId, 0));
			return;
		}
		Message message;
		try {
			message = Publications.message(publish, this.clientId, this.server.log().now());
		}
		catch (DecoderException ex) {
			disconnect(MALFORMED_PACKET, String.valueOf(ex.getMessage()));
			return;
		}
		if (qos == 2) {
			setUnreleased(packetId, true);
		}
		Sessions sessions = this.server.log().sessions();
		boolean later = !this.pending.isEmpty();
		SessionChange.Publish change = sessions.route(message, this.principal, this.connection,
				(qos == 2 && stored) ? packetId : 0, later);
		if (change != null) {
			// A repetition may have been accepted, so its refusal would free its
			// identifier.
			append(change, (applied) -> published(applied, session, message.retain(), qos, packetId),
					(qos == 2 && stored) ? this::rejected : () -> refused(session, qos, packetId));
		}
		else if (later) {
			inOrder(() -> sessions.deliver(message), message.cost(), () -> acknowledge(qos, packetId, 0));
		}
		else {
			acknowledge(qos, packetId, 0);
		}
	}

	private void deny(MqttPublishMessage publish, Session session) {
		int qos = publish.fixedHeader().qosLevel().value();
		int packetId = publish.variableHeader().packetId();
		Runnable refusal = () -> acknowledge(qos, packetId, NOT_AUTHORIZED);
		if (qos == 2 && publish.fixedHeader().isDup()) {
			// Received while it was permitted, perhaps. No PUBREL will follow.
			release(packetId, session, refusal);
		}
		else {
			inOrder(refusal);
		}
	}

	private void setUnreleased(int packetId, boolean unreleased) {
		if (this.unreleased.get(packetId) != unreleased) {
			this.unreleased.set(packetId, unreleased);
			this.unreleasedCount += unreleased ? 1 : -1;
		}
	}

	private void published(Applied applied, Session session, boolean retain, int qos, int packetId) {
		if (applied.refused()) {
			warnOfMemory(retain ? "a retained message" : "a message with QoS 2");
			this.memory.refuse(retain ? MemoryUse.RETAINED : MemoryUse.SESSION);
			refused(session, qos, packetId);
		}
		else {
			acknowledge(qos, packetId, 0);
		}
	}

	private void refused(Session session, int qos, int packetId) {
		if (qos == 2) {
			setUnreleased(packetId, false);
			if (!session.isStored()) {
				session.release(packetId);
			}
		}
		acknowledge(qos, packetId, QUOTA_EXCEEDED);
	}

	private void warnOfMemory(String what) {
		clientLog.warn(
				"Refused {} of client '{}': the memory of sessions and retained messages is exhausted. "
						+ Limits.RAISE_MEMORY,
				what, this.clientId, this.server.log().sessions().memory().describeLargest());
	}

	private void acknowledge(int qos, int packetId, int reasonCode) {
		if (qos > 0 && reasonCode != 0 && !this.mqtt5) {
			// An acknowledgment would confirm the message.
			disconnect(reasonCode, "a message that is refused");
		}
		else if (qos > 0) {
			write(Packets.acknowledgment(this.mqtt5 ? Packets.MQTT_5 : 0, qos, packetId, reasonCode));
		}
	}

	private void released(int packetId, Session session) {
		release(packetId, session, () -> write(Packets.pubcomp(packetId)));
	}

	private void release(int packetId, Session session, Runnable reply) {
		setUnreleased(packetId, false);
		if (!session.isStored()) {
			session.release(packetId);
			inOrder(reply);
			return;
		}
		append(new SessionChange.Release(this.clientId, this.connection, packetId), (applied) -> reply.run(),
				this::rejected);
	}

	private void received(MqttMessage pubrec) {
		int packetId = Packets.packetId(pubrec);
		Long number = this.deliveries.find(packetId);
		if (Packets.isFailure(pubrec)) {
			this.deliveries.completed(packetId);
		}
		else if (number != null && number > 0) {
			append(new SessionChange.Acknowledge(this.clientId, this.connection, true, new long[] { number }),
					(applied) -> write(Packets.pubrel(packetId, 0, this.mqtt5)), this::rejected);
		}
		else {
			write(Packets.pubrel(packetId, (number != null) ? 0 : PACKET_ID_NOT_FOUND, this.mqtt5));
		}
	}

	private void subscribe(MqttSubscribeMessage subscribe, Session session) {
		if (subscribe.payload().topicSubscriptions().isEmpty()) {
			disconnect(PROTOCOL_ERROR, "a SUBSCRIBE without a filter");
			return;
		}
		Integer identifier = Packets.property(subscribe.idAndPropertiesVariableHeader().properties(),
				MqttProperties.SUBSCRIPTION_IDENTIFIER, Integer.class);
		if (identifier != null && identifier == 0) {
			disconnect(PROTOCOL_ERROR, "a subscription identifier of 0");
			return;
		}
		List<MqttTopicSubscription> requested = subscribe.payload().topicSubscriptions();
		int[] reasons = new int[requested.size()];
		List<Subscription> valid = new ArrayList<>();
		for (int i = 0; i < reasons.length; i++) {
			String filter = requested.get(i).topicFilter();
			MqttSubscriptionOption option = requested.get(i).option();
			if (this.mqtt5 && option.isNoLocal() && filter.startsWith("$share/")) {
				disconnect(PROTOCOL_ERROR, "No Local with a shared subscription");
				return;
			}
			int options = option.qos().value();
			int refusal = this.access.refusal(filter);
			reasons[i] = (refusal != 0) ? failure(refusal) : options;
			if (this.mqtt5) {
				options |= (option.isNoLocal() ? 1 << 2 : 0) | (option.isRetainAsPublished() ? 1 << 3 : 0)
						| option.retainHandling().value() << 4;
			}
			if (reasons[i] <= 2) {
				valid.add(new Subscription(filter, options, (identifier != null) ? identifier : 0));
			}
		}
		int packetId = subscribe.variableHeader().messageId();
		if (session.isStored() && !valid.isEmpty()) {
			append(new SessionChange.Subscribe(this.clientId, this.connection, valid), (applied) -> {
				if (!applied.unaffected().isEmpty()) {
					warnOfMemory("a subscription");
					this.memory.refuse(MemoryUse.SESSION);
				}
				for (int i = 0; i < reasons.length; i++) {
					reasons[i] = applied.unaffected().contains(requested.get(i).topicFilter()) ? failure(QUOTA_EXCEEDED)
							: reasons[i];
				}
				suback(packetId, reasons);
			}, () -> {
				Arrays.fill(reasons, failure(QUOTA_EXCEEDED));
				suback(packetId, reasons);
			});
			return;
		}
		List<Subscription> retained = new ArrayList<>();
		Iterator<Subscription> next = valid.iterator();
		for (int i = 0; i < reasons.length; i++) {
			Subscription subscription = (reasons[i] <= 2) ? next.next() : null;
			if (subscription != null && !tryReserve(session, subscription)) {
				reasons[i] = failure(QUOTA_EXCEEDED);
			}
			else if (subscription != null && this.server.log().sessions().subscribe(session, subscription)) {
				retained.add(subscription);
			}
		}
		suback(packetId, reasons);
		if (!retained.isEmpty()) {
			long now = this.server.log().now();
			inOrder(() -> retained.forEach((each) -> this.server.log().sessions().sendRetained(session, each, now)), 0,
					() -> {
					});
		}
	}

	private boolean tryReserve(Session session, Subscription subscription) {
		boolean known = session.subscriptions().containsKey(subscription.filter());
		boolean reserved = known
				|| this.memory.tryReserve(MemoryUse.SUBSCRIPTION, Sessions.cost(subscription.filter()));
		if (!reserved) {
			clientLog.warn("Refused a subscription of client '{}': the memory for clients is exhausted. "
					+ Limits.RAISE_MEMORY, this.clientId, this.memory.largestHolder());
		}
		return reserved;
	}

	private int failure(int reasonCode) {
		return this.mqtt5 ? reasonCode : SUBSCRIBE_FAILED;
	}

	private void suback(int packetId, int[] reasons) {
		write(new MqttSubAckMessage(new MqttFixedHeader(MqttMessageType.SUBACK, false, MqttQoS.AT_MOST_ONCE, false, 0),
				new MqttMessageIdAndPropertiesVariableHeader(packetId, MqttProperties.NO_PROPERTIES),
				new MqttSubAckPayload(reasons)));
	}

	private void unsubscribe(MqttUnsubscribeMessage unsubscribe, Session session) {
		List<String> filters = unsubscribe.payload().topics();
		int packetId = unsubscribe.variableHeader().messageId();
		if (session.isStored()) {
			append(new SessionChange.Unsubscribe(this.clientId, this.connection, filters),
					(applied) -> unsuback(packetId,
							filters.stream()
								.map((each) -> applied.unaffected().contains(each) ? NO_SUBSCRIPTION_EXISTED : 0)
								.toList()),
					() -> unsubscribeRejected(packetId, filters.size()));
			return;
		}
		List<Integer> reasons = new ArrayList<>();
		for (String filter : filters) {
			boolean removed = this.server.log().sessions().unsubscribe(session, filter);
			reasons.add(removed ? 0 : NO_SUBSCRIPTION_EXISTED);
			this.memory.release(MemoryUse.SUBSCRIPTION, removed ? Sessions.cost(filter) : 0);
		}
		unsuback(packetId, reasons);
	}

	private void unsubscribeRejected(int packetId, int filters) {
		if (this.mqtt5) {
			unsuback(packetId, Collections.nCopies(filters, IMPLEMENTATION_SPECIFIC_ERROR));
		}
		else {
			// An acknowledgment would confirm the end of the subscriptions.
			rejected();
		}
	}

	private void unsuback(int packetId, List<Integer> reasons) {
		write(new MqttUnsubAckMessage(
				new MqttFixedHeader(MqttMessageType.UNSUBACK, false, MqttQoS.AT_MOST_ONCE, false, 0),
				new MqttMessageIdAndPropertiesVariableHeader(packetId, MqttProperties.NO_PROPERTIES),
				this.mqtt5 ? new MqttUnsubAckPayload(reasons.stream().map(Integer::shortValue).toList())
						: new MqttUnsubAckPayload()));
	}

	private void disconnected(MqttMessage disconnect) {
		boolean keepsWill = false;
		if (disconnect.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header) {
			long expiry = interval(header.properties(), MqttProperties.SESSION_EXPIRY_INTERVAL, this.expirySeconds);
			// It must not be set now (MQTT 5 section 3.14.2.2.2).
			boolean invalid = expiry != 0 && this.expirySeconds == 0;
			keepsWill = header.reasonCode() != 0 || invalid;
			this.expirySeconds = invalid ? 0 : Math.min(expiry, this.server.settings().maxSessionExpirySeconds());
		}
		end(keepsWill);
		close();
	}

	/** Closes the connection. Netty would drop earlier packets. */
	private void close() {
		this.context.flush();
		this.context.close();
	}

	/** Ends this connection because another one has taken over its session. */
	void takenOver() {
		disconnectLater(SESSION_TAKEN_OVER, "the client has connected again");
	}

	/** Ends this connection. */
	void disconnectLater(int reasonCode, String reason) {
		this.tasks.execute(() -> disconnect(reasonCode, reason));
	}

	private void disconnect(int reasonCode, String reason) {
		if (this.ended) {
			return;
		}
		end(true);
		if (this.mqtt5 && this.session != null) {
			this.context.executor().schedule(() -> this.context.close(), CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
			this.context.writeAndFlush(Packets.disconnect(reasonCode, reason)).addListener(ChannelFutureListener.CLOSE);
		}
		else {
			close();
		}
	}

	/** Handles the rejection of a change by the log. The client may try again. */
	private void rejected() {
		disconnect(QUOTA_EXCEEDED, "the log of the broker has no space");
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		Queue<MqttMessage> early = this.early;
		this.early = null;
		end(early == null || early.stream().noneMatch(SessionHandler::removesWill));
		if (early != null) {
			early.forEach(ReferenceCountUtil::release);
		}
		context.fireChannelInactive();
	}

	/** Returns whether a packet is a DISCONNECT that removes the will. */
	private static boolean removesWill(MqttMessage packet) {
		return packet.decoderResult().isSuccess() && packet.fixedHeader().messageType() == MqttMessageType.DISCONNECT
				&& !(packet.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header
						&& header.reasonCode() != 0);
	}

	/** Ends the connection of the session. */
	private void end(boolean keepsWill) {
		if (this.ended) {
			return;
		}
		if (this.deliveries != null) {
			this.deliveries.end();
		}
		this.ended = true;
		this.keepsWill = keepsWill;
		Session session = this.session;
		if (!this.connecting) {
			this.server.disconnected(this.clientId, this);
		}
		if (this.connection != 0) {
			disconnectInLog();
		}
		if (session != null && !session.isStored()) {
			this.server.log().sessions().end(session);
		}
		SessionDeliveries.endBurst();
	}

	private void disconnectInLog() {
		if (this.keepsWill && this.server.isStopping()) {
			// The client may return before its will is published, as after a crash.
			return;
		}
		BooleanSupplier condition = this.access.willCondition();
		boolean publishes = this.keepsWill && (condition == null || condition.getAsBoolean());
		this.server.log()
			.append(new SessionChange.Disconnect(this.clientId, this.connection, this.expirySeconds, publishes),
					SessionLog.Outcome.NONE);
	}

	/** Runs a reply after those to earlier packets. */
	private void inOrder(Runnable reply) {
		if (this.pending.isEmpty()) {
			reply.run();
		}
		else {
			inOrder(() -> {
			}, 0, reply);
		}
	}

	/**
	 * Runs an action after all earlier changes, and a reply after those to earlier
	 * packets (MQTT 5 section 4.6).
	 * @param bytes heap of the action
	 */
	private void inOrder(Runnable action, int bytes, Runnable reply) {
		this.pending.add(bytes);
		this.server.log().inOrder(() -> {
			try {
				action.run();
			}
			finally {
				finish(bytes, false, reply);
			}
		}, bytes);
	}

	/** Runs a reply on the event loop. */
	private void finish(int bytes, boolean always, Runnable reply) {
		this.tasks.execute(() -> {
			this.pending.remove(bytes);
			try {
				if (always || !this.ended) {
					reply.run();
				}
			}
			catch (RuntimeException ex) {
				exceptionCaught(this.context, ex);
			}
		});
	}

	/**
	 * Appends a change.
	 * @param applied receives its effect. Of a connection that has ended, only that of a
	 * CONNECT
	 * @param rejected called if the log rejects it
	 */
	private void append(SessionChange change, Consumer<Applied> applied, Runnable rejected) {
		int bytes = PendingChanges.COST + change.cost();
		boolean connects = change instanceof SessionChange.Connect;
		this.pending.add(bytes);
		this.server.log().append(change, new SessionLog.Outcome() {

			@Override
			public void applied(Applied effect) {
				finish(bytes, connects, () -> applied.accept(effect));
			}

			@Override
			public void rejected() {
				finish(bytes, connects, rejected);
			}

		});
	}

	/** Ends the connection, whose packets may have been executed in part. */
	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		if (cause instanceof Error error) {
			this.server.failed(error);
		}
		else if (!(cause instanceof IOException)) {
			logger.error("Closed the connection of client '{}' after a failure", this.clientId, cause);
		}
		context.close();
	}

	private void write(MqttMessage packet) {
		this.context.write(packet, this.context.voidPromise());
	}

	@Override
	public void channelWritabilityChanged(ChannelHandlerContext context) {
		if (this.deliveries != null) {
			this.deliveries.drain();
		}
		context.flush();
		context.fireChannelWritabilityChanged();
	}

	@Override
	public void channelReadComplete(ChannelHandlerContext context) {
		this.reading = false;
		SessionDeliveries.endBurst();
		context.flush();
		context.fireChannelReadComplete();
	}

	/** What the deliveries do with this connection. */
	private final class DeliveryOwner implements SessionDeliveries.Owner {

		@Override
		public long now() {
			return SessionHandler.this.server.log().now();
		}

		@Override
		public void completed(long[] numbers) {
			SessionHandler handler = SessionHandler.this;
			handler.server.log()
				.append(new SessionChange.Acknowledge(handler.clientId, handler.connection, false, numbers),
						SessionLog.Outcome.NONE);
		}

		@Override
		public void exceeded() {
			disconnectLater(QUOTA_EXCEEDED, "the memory of messages waiting for this client is exhausted");
		}

		@Override
		public void flush() {
			SessionHandler.this.flush();
		}

		@Override
		public void failed(Throwable failure) {
			SessionHandler.this.failed(failure);
		}

	}

}
