package io.statestore.broker.mqtt;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
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
import io.netty.util.concurrent.FastThreadLocal;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.session.Delivery;
import io.statestore.broker.session.Message;
import io.statestore.broker.session.Session;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.SessionChange.Publish;
import io.statestore.broker.session.SessionConnection;
import io.statestore.broker.session.SessionLog;
import io.statestore.broker.session.Sessions;
import io.statestore.broker.session.Sessions.Connected;
import io.statestore.broker.session.Subscription;
import io.statestore.broker.session.Will;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Channel handler that connects a client to its session, at the end of the pipeline. It
 * executes the packets of ordinary messages in the order of their arrival. Runs on the
 * event loop of its channel. Other threads may call {@link #deliver} and
 * {@link #takenOver}.
 */
@SuppressWarnings("NullAway.Init") // Set in handlerAdded, which is called first.
final class SessionHandler extends ChannelInboundHandlerAdapter implements SessionConnection {

	private static final Logger logger = LoggerFactory.getLogger(SessionHandler.class);

	private static final int MALFORMED_PACKET = 0x81;

	private static final int PROTOCOL_ERROR = 0x82;

	private static final int SESSION_TAKEN_OVER = 0x8E;

	private static final int TOPIC_FILTER_INVALID = 0x8F;

	private static final int PACKET_ID_NOT_FOUND = 0x92;

	private static final int TOPIC_ALIAS_INVALID = 0x94;

	private static final int QUOTA_EXCEEDED = 0x97;

	private static final int NO_SUBSCRIPTION_EXISTED = 0x11;

	private static final int DISCONNECT_WITH_WILL = 0x04;

	private static final int MAX_KEEP_ALIVE = 0xFFFF;

	/** Maximum estimated heap of the inbox, in bytes, without queued messages. */
	private static final long MAX_INBOX = 4L * 1024 * 1024;

	/** Maximum number of deliveries that are read from the inbox at a time. */
	private static final int MAX_READ = 256;

	private static final long TAKEOVER_TIMEOUT_SECONDS = 10;

	/**
	 * Connections that received deliveries during the current burst: the packets that the
	 * event loop reads from one connection before {@link #channelReadComplete}. They are
	 * woken once, at its end. {@code null} outside a burst.
	 */
	private static final FastThreadLocal<@Nullable List<SessionHandler>> receivers = new FastThreadLocal<>();

	private final SessionServer server;

	private final ClientShare memory;

	/** Deliveries of other threads. */
	private final Queue<Delivery> inbox = new ConcurrentLinkedQueue<>();

	private final AtomicLong inboxBytes = new AtomicLong();

	/** Whether the event loop is about to read the inbox. */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	/** Deliveries that wait until the client accepts more. */
	private final Queue<Delivery> waiting = new ArrayDeque<>();

	/**
	 * Numbers of the messages without an acknowledgment by packet identifier, 0 if they
	 * are not queued.
	 */
	private final Map<Integer, Long> inFlight = new HashMap<>();

	/** Packets that have arrived before the CONNECT was executed. */
	private @Nullable Queue<MqttMessage> early;

	private ChannelHandlerContext context;

	private @Nullable Session session;

	private String clientId = "";

	private boolean mqtt5;

	private int receiveMaximum;

	private long maxPacketSize;

	private long expirySeconds;

	/** Number of the connection in the log, 0 if it is not known there. */
	private long connection;

	/** Whether the connection or its session is known to the log. */
	private boolean logged;

	private int keepAliveSeconds;

	private int lastPacketId;

	private boolean reading;

	private boolean draining;

	private boolean ended;

	SessionHandler(SessionServer server, ClientShare memory) {
		this.server = server;
		this.memory = memory;
	}

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		this.context = context;
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
		if (receivers.get() == null) {
			receivers.set(new ArrayList<>());
		}
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
			case PUBACK, PUBCOMP -> completed(Packets.packetId(packet));
			case PUBREC -> received(packet);
			case PUBREL -> release(Packets.packetId(packet), session);
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
		Integer expiry = Packets.property(properties, MqttProperties.SESSION_EXPIRY_INTERVAL, Integer.class);
		this.expirySeconds = this.mqtt5 ? (expiry != null) ? Integer.toUnsignedLong(expiry) : 0
				: cleanStart ? 0 : Sessions.NO_EXPIRY;
		Integer maximum = Packets.property(properties, MqttProperties.RECEIVE_MAXIMUM, Integer.class);
		this.receiveMaximum = Math.min(Delivery.MAX_PACKET_ID, (maximum != null) ? maximum : Delivery.MAX_PACKET_ID);
		String principal = Objects.requireNonNullElse(this.context.channel().attr(SessionServer.PRINCIPAL).get(), "");
		Will will = connect.variableHeader().isWillFlag() ? will(connect) : null;
		Integer size = Packets.property(properties, MqttProperties.MAXIMUM_PACKET_SIZE, Integer.class);
		this.maxPacketSize = (size != null) ? Integer.toUnsignedLong(size) : Long.MAX_VALUE;
		// The log has the connections of a client in the order in which they take over.
		synchronized (this.server) {
			this.logged = this.expirySeconds > 0 || will != null
					|| this.server.log().sessions().find(this.clientId) != null;
			boolean keepsWill = this.server.mayPublishWill(this.clientId);
			this.server.connected(this.clientId, this);
			if (this.logged) {
				this.server.setCondition(this.clientId, (will != null) ? willCondition() : null);
				this.early = new ArrayDeque<>();
				this.server.log()
					.append(new SessionChange.Connect(this.clientId, principal, cleanStart, this.expirySeconds,
							this.receiveMaximum, will, keepsWill), new ConnectOutcome(principal));
				return;
			}
		}
		connected(Session.of(this.clientId, principal, this), false);
	}

	private @Nullable BooleanSupplier willCondition() {
		return this.context.channel().attr(SessionServer.WILL).get();
	}

	private Will will(MqttConnectMessage connect) {
		MqttProperties properties = connect.payload().willProperties();
		Integer delay = Packets.property(properties, MqttProperties.WILL_DELAY_INTERVAL, Integer.class);
		Integer expiry = Packets.property(properties, MqttProperties.PUBLICATION_EXPIRY_INTERVAL, Integer.class);
		byte[] payload = connect.payload().willMessageInBytes();
		return new Will(
				new Message(Publications.valid(connect.payload().willTopic()), Publications.forwarded(properties),
						(payload != null) ? payload : new byte[0], connect.variableHeader().willQos(),
						connect.variableHeader().isWillRetain(), Message.NEVER, this.clientId),
				(delay != null) ? Integer.toUnsignedLong(delay) : 0,
				(expiry != null) ? Integer.toUnsignedLong(expiry) : -1);
	}

	private void connected(Session session, boolean present) {
		this.session = session;
		MqttProperties properties = new MqttProperties();
		if (this.mqtt5) {
			properties.add(new IntegerProperty(MqttProperties.MAXIMUM_PACKET_SIZE, this.server.maxPacketSize()));
			properties.add(new IntegerProperty(MqttProperties.TOPIC_ALIAS_MAXIMUM, 0));
			if (this.keepAliveSeconds == 0) {
				properties.add(new IntegerProperty(MqttProperties.SERVER_KEEP_ALIVE, MAX_KEEP_ALIVE));
			}
		}
		MqttConnAckMessage connack = MqttMessageBuilders.connAck()
			.returnCode(MqttConnectReturnCode.CONNECTION_ACCEPTED)
			.sessionPresent(present)
			.properties(properties)
			.build();
		write(connack);
		if (session.isStored()) {
			this.server.log().attach(this.clientId, this.connection, this);
		}
		Queue<MqttMessage> early = this.early;
		this.early = null;
		if (early != null && !early.isEmpty()) {
			early.forEach((packet) -> channelRead(this.context, packet));
			channelReadComplete(this.context);
		}
		this.context.flush();
	}

	private void publish(MqttPublishMessage publish, Session session) {
		int qos = publish.fixedHeader().qosLevel().value();
		int packetId = publish.variableHeader().packetId();
		if (publish.variableHeader().properties().getProperty(MqttProperties.TOPIC_ALIAS) != null) {
			disconnect(TOPIC_ALIAS_INVALID, "a topic alias, which the broker does not support");
			return;
		}
		boolean stored = session.isStored();
		if (qos == 2 && !stored && !session.receive(packetId)) {
			acknowledge(qos, packetId, 0);
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
		Publish change = this.server.log()
			.sessions()
			.route(message, this.connection, (qos == 2 && stored) ? packetId : 0);
		if (change == null) {
			acknowledge(qos, packetId, 0);
		}
		else {
			append(change, (connected) -> acknowledge(qos, packetId, 0));
		}
	}

	private void acknowledge(int qos, int packetId, int reasonCode) {
		if (qos > 0) {
			write(Packets.acknowledgment(this.mqtt5 ? Packets.MQTT_5 : 0, qos, packetId, reasonCode));
		}
	}

	private void release(int packetId, Session session) {
		if (!session.isStored()) {
			session.release(packetId);
			write(Packets.pubcomp(packetId));
			return;
		}
		append(new SessionChange.Release(this.clientId, this.connection, packetId),
				(connected) -> write(Packets.pubcomp(packetId)));
	}

	private void received(MqttMessage pubrec) {
		int packetId = Packets.packetId(pubrec);
		Long number = this.inFlight.get(packetId);
		if (Packets.isFailure(pubrec)) {
			completed(packetId);
		}
		else if (number != null && number > 0) {
			append(new SessionChange.Acknowledge(this.clientId, this.connection, true, new long[] { number }),
					(connected) -> write(Packets.pubrel(packetId, 0, this.mqtt5)));
		}
		else {
			write(Packets.pubrel(packetId, (number != null) ? 0 : PACKET_ID_NOT_FOUND, this.mqtt5));
		}
	}

	private void completed(int packetId) {
		Long number = this.inFlight.remove(packetId);
		if (number != null && number > 0) {
			complete(number);
		}
		drain();
	}

	private void complete(long number) {
		append(new SessionChange.Acknowledge(this.clientId, this.connection, false, new long[] { number }),
				(connected) -> {
				});
	}

	private void subscribe(MqttSubscribeMessage subscribe, Session session) {
		Integer identifier = Packets.property(subscribe.idAndPropertiesVariableHeader().properties(),
				MqttProperties.SUBSCRIPTION_IDENTIFIER, Integer.class);
		if (identifier != null && identifier == 0) {
			disconnect(PROTOCOL_ERROR, "a subscription identifier of 0");
			return;
		}
		List<Integer> reasons = new ArrayList<>();
		List<Subscription> granted = new ArrayList<>();
		for (MqttTopicSubscription requested : subscribe.payload().topicSubscriptions()) {
			String filter = requested.topicFilter();
			MqttSubscriptionOption option = requested.option();
			if (option.isNoLocal() && filter.startsWith("$share/")) {
				disconnect(PROTOCOL_ERROR, "No Local with a shared subscription");
				return;
			}
			if (!TopicFilters.isValid(filter)) {
				reasons.add(this.mqtt5 ? TOPIC_FILTER_INVALID : 0x80);
				continue;
			}
			int options = option.qos().value() | (option.isNoLocal() ? 1 << 2 : 0)
					| (option.isRetainAsPublished() ? 1 << 3 : 0) | option.retainHandling().value() << 4;
			granted.add(new Subscription(filter, options, (identifier != null) ? identifier : 0));
			reasons.add(option.qos().value());
		}
		int packetId = subscribe.variableHeader().messageId();
		if (session.isStored()) {
			append(new SessionChange.Subscribe(this.clientId, this.connection, granted),
					(connected) -> suback(packetId, reasons));
			return;
		}
		long now = this.server.log().now();
		granted.forEach((subscription) -> this.server.log().sessions().subscribe(session, subscription, now));
		// Before retained messages, which wait in the inbox.
		suback(packetId, reasons);
	}

	private void suback(int packetId, List<Integer> reasons) {
		write(new MqttSubAckMessage(new MqttFixedHeader(MqttMessageType.SUBACK, false, MqttQoS.AT_MOST_ONCE, false, 0),
				new MqttMessageIdAndPropertiesVariableHeader(packetId, MqttProperties.NO_PROPERTIES),
				new MqttSubAckPayload(reasons)));
	}

	private void unsubscribe(MqttUnsubscribeMessage unsubscribe, Session session) {
		List<String> filters = unsubscribe.payload().topics();
		List<Short> reasons = new ArrayList<>();
		filters.forEach((filter) -> reasons
			.add((short) (session.subscriptions().containsKey(filter) ? 0 : NO_SUBSCRIPTION_EXISTED)));
		int packetId = unsubscribe.variableHeader().messageId();
		if (session.isStored()) {
			append(new SessionChange.Unsubscribe(this.clientId, this.connection, filters),
					(connected) -> unsuback(packetId, reasons));
			return;
		}
		filters.forEach((filter) -> this.server.log().sessions().unsubscribe(session, filter));
		unsuback(packetId, reasons);
	}

	private void unsuback(int packetId, List<Short> reasons) {
		write(new MqttUnsubAckMessage(
				new MqttFixedHeader(MqttMessageType.UNSUBACK, false, MqttQoS.AT_MOST_ONCE, false, 0),
				new MqttMessageIdAndPropertiesVariableHeader(packetId, MqttProperties.NO_PROPERTIES),
				this.mqtt5 ? new MqttUnsubAckPayload(reasons) : new MqttUnsubAckPayload()));
	}

	private void disconnected(MqttMessage disconnect) {
		boolean keepsWill = false;
		if (disconnect.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header) {
			keepsWill = header.reasonCode() == DISCONNECT_WITH_WILL;
			Integer expiry = Packets.property(header.properties(), MqttProperties.SESSION_EXPIRY_INTERVAL,
					Integer.class);
			if (expiry != null && expiry != 0 && this.expirySeconds == 0) {
				// A protocol error (MQTT 5 section 3.14.2.2.2).
				end(true);
				this.context.close();
				return;
			}
			if (expiry != null) {
				this.expirySeconds = Integer.toUnsignedLong(expiry);
			}
		}
		end(keepsWill);
		this.context.close();
	}

	/** Ends this connection because another one has taken over its session. */
	void takenOver() {
		onLoop(() -> disconnect(SESSION_TAKEN_OVER, "the client has connected again"));
	}

	private void disconnect(int reasonCode, String reason) {
		end(true);
		if (this.mqtt5) {
			this.context.executor().schedule(() -> this.context.close(), TAKEOVER_TIMEOUT_SECONDS, TimeUnit.SECONDS);
			this.context.writeAndFlush(Packets.disconnect(reasonCode, reason)).addListener(ChannelFutureListener.CLOSE);
		}
		else {
			this.context.close();
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		end(true);
		if (this.early != null) {
			this.early.forEach(ReferenceCountUtil::release);
		}
		context.fireChannelInactive();
	}

	/** Ends the connection of the session. */
	private void end(boolean keepsWill) {
		if (this.ended) {
			return;
		}
		this.ended = true;
		this.waiting.clear();
		this.inFlight.clear();
		Session session = this.session;
		this.server.disconnected(this.clientId, this);
		if (this.connection != 0) {
			disconnectInLog(keepsWill);
		}
		if (session != null && !session.isStored()) {
			this.server.log().sessions().end(session);
		}
		flush();
	}

	private void disconnectInLog(boolean keepsWill) {
		BooleanSupplier condition = willCondition();
		boolean publishes = keepsWill && (condition == null || condition.getAsBoolean());
		this.server.log()
			.append(new SessionChange.Disconnect(this.clientId, this.connection, this.expirySeconds, publishes),
					SessionLog.Outcome.NONE);
	}

	private void append(SessionChange change, Consumer<Connected> applied) {
		this.server.log().append(change, new SessionLog.Outcome() {

			@Override
			public void applied(@Nullable Connected connected) {
				onLoop(() -> {
					if (!SessionHandler.this.ended) {
						applied.accept(connected);
					}
				});
			}

			@Override
			public void rejected() {
				onLoop(() -> disconnect(QUOTA_EXCEEDED, "the log accepts no more changes"));
			}

		});
	}

	private void onLoop(Runnable task) {
		if (this.context.executor().inEventLoop()) {
			task.run();
			return;
		}
		try {
			this.context.executor().execute(() -> guarded(() -> {
				task.run();
				this.context.flush();
			}));
		}
		catch (RejectedExecutionException ex) {
			// The broker has stopped, which ended the connection.
		}
	}

	private void guarded(Runnable task) {
		try {
			task.run();
		}
		catch (Exception | Error ex) {
			exceptionCaught(this.context, ex);
		}
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
	public void deliver(Delivery delivery) {
		if (delivery.number() == 0 && this.inboxBytes.addAndGet(cost(delivery)) > MAX_INBOX) {
			this.inboxBytes.addAndGet(-cost(delivery));
			if (delivery.qos() > 0) {
				onLoop(this::exceeded);
			}
			return;
		}
		this.inbox.add(delivery);
		if (!this.scheduled.compareAndSet(false, true)) {
			return;
		}
		List<SessionHandler> burst = receivers.get();
		if (burst != null) {
			burst.add(this);
		}
		else {
			schedule();
		}
	}

	private void schedule() {
		try {
			this.context.executor().execute(() -> guarded(this::readInbox));
		}
		catch (RejectedExecutionException ex) {
			// The broker has stopped, which ended the connection.
		}
	}

	private void readInbox() {
		this.scheduled.set(false);
		Delivery next = this.inbox.poll();
		for (int i = 0; next != null; i++) {
			if (next.number() == 0) {
				this.inboxBytes.addAndGet(-cost(next));
			}
			if (!this.ended) {
				receive(next);
			}
			// Other connections of the event loop have their turn.
			next = (i < MAX_READ - 1) ? this.inbox.poll() : null;
		}
		if (!this.reading) {
			this.context.flush();
		}
		if (!this.inbox.isEmpty() && this.scheduled.compareAndSet(false, true)) {
			schedule();
		}
	}

	private void receive(Delivery delivery) {
		if (this.waiting.isEmpty() && isReady(delivery)) {
			send(delivery);
		}
		else if (delivery.number() > 0 || this.memory.tryReserve(MemoryUse.OUTGOING, cost(delivery))) {
			this.waiting.add(delivery);
		}
		else if (delivery.qos() > 0) {
			exceeded();
		}
	}

	private void exceeded() {
		if (!this.ended) {
			disconnect(QUOTA_EXCEEDED, "the memory of messages waiting for this client is exhausted");
		}
	}

	private static long cost(Delivery delivery) {
		return delivery.message().cost();
	}

	private boolean isReady(Delivery delivery) {
		if (!this.context.channel().isWritable()) {
			return false;
		}
		return delivery.qos() == 0 || delivery.isReceived() || this.inFlight.size() < this.receiveMaximum
				&& (delivery.number() == 0 || !this.inFlight.containsKey(delivery.packetId()));
	}

	private void send(Delivery delivery) {
		long now = this.server.log().now();
		if (delivery.isReceived()) {
			this.inFlight.put(delivery.packetId(), delivery.number());
			write(Packets.pubrel(delivery.packetId(), 0, this.mqtt5));
			return;
		}
		// A repeated one with QoS 2 must be completed (MQTT 5 section 4.3.3).
		boolean expired = delivery.message().isExpired(now) && !(delivery.qos() == 2 && delivery.isRepeated());
		if (expired || Publications.size(delivery, this.mqtt5) > this.maxPacketSize) {
			if (delivery.number() > 0) {
				complete(delivery.number());
			}
			return;
		}
		int packetId = 0;
		if (delivery.qos() > 0) {
			packetId = (delivery.number() > 0) ? delivery.packetId() : nextPacketId();
			this.inFlight.put(packetId, delivery.number());
		}
		write(Publications.packet(delivery, packetId, this.mqtt5, now));
	}

	private int nextPacketId() {
		do {
			this.lastPacketId = this.lastPacketId % Delivery.MAX_PACKET_ID + 1;
		}
		while (this.inFlight.containsKey(this.lastPacketId));
		return this.lastPacketId;
	}

	private void drain() {
		if (this.draining) {
			return;
		}
		this.draining = true;
		try {
			sendWaiting();
		}
		finally {
			this.draining = false;
		}
	}

	private void sendWaiting() {
		for (Delivery next = this.waiting.peek(); next != null && isReady(next); next = this.waiting.peek()) {
			this.waiting.remove();
			if (next.number() == 0) {
				this.memory.release(MemoryUse.OUTGOING, cost(next));
			}
			send(next);
		}
	}

	@Override
	public void channelWritabilityChanged(ChannelHandlerContext context) {
		drain();
		context.flush();
		context.fireChannelWritabilityChanged();
	}

	@Override
	public void channelReadComplete(ChannelHandlerContext context) {
		this.reading = false;
		flush();
		context.flush();
		context.fireChannelReadComplete();
	}

	/** Hands the deliveries of a burst over to their connections. */
	static void flush() {
		List<SessionHandler> burst = receivers.get();
		if (burst != null) {
			receivers.remove();
			burst.forEach(SessionHandler::schedule);
		}
	}

	/** Outcome of the CONNECT. */
	private final class ConnectOutcome implements SessionLog.Outcome {

		private final String principal;

		ConnectOutcome(String principal) {
			this.principal = principal;
		}

		@Override
		public void applied(@Nullable Connected connected) {
			onLoop(() -> connected(Objects.requireNonNull(connected)));
		}

		private void connected(Connected connected) {
			SessionHandler handler = SessionHandler.this;
			handler.connection = connected.number();
			if (handler.ended) {
				disconnectInLog(true);
				return;
			}
			Session session = connected.stored() ? handler.server.log().sessions().find(handler.clientId)
					: Session.of(handler.clientId, this.principal, handler);
			if (session != null) {
				handler.connected(session, connected.present());
			}
			else {
				// Another connection has taken over, and ended the session.
				handler.context.close();
			}
		}

		@Override
		public void rejected() {
			onLoop(() -> SessionHandler.this.context.close());
		}

	}

}
