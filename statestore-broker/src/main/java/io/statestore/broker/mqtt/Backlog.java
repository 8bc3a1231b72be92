package io.statestore.broker.mqtt;

import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.Packets;
import org.jspecify.annotations.Nullable;

/**
 * Packets of one connection waiting for Artemis. Artemis 2.43 executes packets on a
 * thread of its own and queues them without a limit. Each batch of packets is therefore
 * followed by an AUTH packet, which Artemis ignores and releases. The release shows that
 * the batch was executed. While the backlog is full, nothing is read from the client.
 * <p>
 * Passes nothing to a connection that Artemis is ending, on which another thread holds a
 * lock until all subscriptions are closed. Artemis would make the event loop wait for
 * that lock, and would not release the packet. For each such packet it also sends a
 * DISCONNECT with code 0x83, which would precede the one with the actual reason.
 * <p>
 * Directly precedes Artemis in the pipeline.
 */
final class Backlog extends ChannelDuplexHandler {

	static final int MAX_PACKETS = 256;

	static final long MAX_BYTES = 1024 * 1024;

	/** Fraction of the maximum that forms a batch. Reading resumes below it. */
	private static final int FRACTION = 4;

	/** Estimated heap of a decoded packet in addition to its size. */
	private static final int PACKET_COST = 512;

	/** Estimated heap of a user property or filter in addition to its text. */
	private static final int ELEMENT_COST = 128;

	/** Time after which a connection that another one has taken over is closed. */
	private static final long END_TIMEOUT_SECONDS = 10;

	private static final byte IMPLEMENTATION_SPECIFIC_ERROR = (byte) 0x83;

	private final AtomicInteger packets = new AtomicInteger();

	private final AtomicLong bytes = new AtomicLong();

	private final ClientShare memory;

	private Listener listener = (full) -> {
	};

	private int batchPackets;

	private long batchBytes;

	/** Backlogs of all connections, by client id in Artemis. */
	private final ConcurrentMap<String, Backlog> connections;

	private @Nullable ChannelHandlerContext context;

	private @Nullable String clientId;

	private boolean mqtt5;

	private boolean ended;

	/** The packet for which Artemis is being called on the event loop. */
	private @Nullable Object passing;

	/** Whether Artemis is ending the connection, or is about to. */
	private volatile boolean ending;

	private volatile boolean full;

	/**
	 * Creates an empty backlog.
	 * @param memory share of the client, charged for the packets
	 * @param connections backlogs of all connections, by client id
	 */
	Backlog(ClientShare memory, ConcurrentMap<String, Backlog> connections) {
		this.memory = memory;
		this.connections = connections;
	}

	@Override
	public void handlerAdded(ChannelHandlerContext context) {
		this.context = context;
	}

	/**
	 * Sets the listener.
	 * @param listener called on the event loop when the backlog becomes full, and when
	 * reading may resume
	 */
	void setListener(Listener listener) {
		this.listener = listener;
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (this.ending) {
			ReferenceCountUtil.release(message);
			return;
		}
		if (message instanceof MqttConnectMessage connect && this.clientId == null) {
			this.mqtt5 = connect.variableHeader().version() == Packets.MQTT_5;
			takeOver(connect.payload().clientIdentifier());
		}
		if (this.ended || !(message instanceof MqttMessage packet) || !isQueued(packet)) {
			pass(context, message);
			return;
		}
		long size = size(packet);
		this.memory.reserve(MemoryUse.INCOMING, size);
		this.packets.incrementAndGet();
		this.bytes.addAndGet(size);
		this.batchPackets++;
		this.batchBytes += size;
		pass(context, message);
		boolean above = !isBelow(1);
		if (above || this.batchPackets >= MAX_PACKETS / FRACTION || this.batchBytes >= MAX_BYTES / FRACTION) {
			endBatch(context);
		}
		if (above && !this.full) {
			this.full = true;
			this.listener.changed(true);
			resume();
		}
	}

	/** Artemis ends an earlier connection of a client when it executes the CONNECT. */
	private void takeOver(String clientId) {
		this.clientId = clientId;
		Backlog earlier = this.connections.put(clientId, this);
		if (earlier != null) {
			earlier.end();
		}
	}

	/** Drops further packets. May be called by any thread. */
	private void end() {
		this.ending = true;
		ChannelHandlerContext context = this.context;
		if (context != null) {
			try {
				// In case that Artemis does not execute the CONNECT.
				context.executor().schedule(() -> context.close(), END_TIMEOUT_SECONDS, TimeUnit.SECONDS);
			}
			catch (RejectedExecutionException ex) {
				// The broker has stopped, and the connection with it.
			}
		}
	}

	@Override
	public void channelInactive(ChannelHandlerContext context) {
		if (this.clientId != null) {
			this.connections.remove(this.clientId, this);
		}
		context.fireChannelInactive();
	}

	/**
	 * Returns whether Artemis queues a packet. The single CONNECT is part of the memory
	 * of the connection, and no packet follows a DISCONNECT.
	 */
	private boolean isQueued(MqttMessage packet) {
		if (packet.decoderResult().isFailure()) {
			return false;
		}
		MqttMessageType type = packet.fixedHeader().messageType();
		this.ended = type == MqttMessageType.DISCONNECT;
		return !this.ended && type != MqttMessageType.CONNECT && type != MqttMessageType.PINGREQ;
	}

	private static long size(MqttMessage packet) {
		long elements = 0;
		if (packet instanceof MqttPublishMessage publish) {
			elements = userProperties(publish.variableHeader().properties());
		}
		else if (packet instanceof MqttSubscribeMessage subscribe) {
			elements = subscribe.payload().topicSubscriptions().size();
		}
		else if (packet instanceof MqttUnsubscribeMessage unsubscribe) {
			elements = unsubscribe.payload().topics().size();
		}
		return PACKET_COST + packet.fixedHeader().remainingLength() + ELEMENT_COST * elements;
	}

	private static int userProperties(MqttProperties properties) {
		return properties.getProperties(MqttPropertyType.USER_PROPERTY.value()).size();
	}

	@Override
	public void channelReadComplete(ChannelHandlerContext context) {
		endBatch(context);
		context.fireChannelReadComplete();
	}

	private void endBatch(ChannelHandlerContext context) {
		if (this.batchPackets == 0 || this.ended || this.ending) {
			return;
		}
		BatchEnd end = new BatchEnd(context, this.batchPackets, this.batchBytes);
		this.batchPackets = 0;
		this.batchBytes = 0;
		pass(context, end);
	}

	private void pass(ChannelHandlerContext context, Object message) {
		Object packet = (!this.mqtt5 && message instanceof MqttPublishMessage publish) ? onHeap(publish) : message;
		this.passing = packet;
		try {
			context.fireChannelRead(packet);
		}
		finally {
			this.passing = null;
		}
	}

	/**
	 * Moves the payload of a message to the heap. Before MQTT 5, Artemis does not show
	 * that it drops a packet of a connection that it is ending, without releasing it.
	 */
	private static MqttPublishMessage onHeap(MqttPublishMessage publish) {
		try {
			return publish.replace(Unpooled.wrappedBuffer(ByteBufUtil.getBytes(publish.payload())));
		}
		finally {
			publish.release();
		}
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
		if (this.passing != null && isUnspecificDisconnect(message)) {
			this.ending = true;
			ReferenceCountUtil.release(this.passing);
			// The DISCONNECT with the reason is already in the queue of the event loop.
			context.executor().execute(() -> context.writeAndFlush(message, promise));
		}
		else {
			context.write(message, promise);
		}
	}

	private static boolean isUnspecificDisconnect(Object message) {
		return message instanceof MqttMessage packet && packet.fixedHeader().messageType() == MqttMessageType.DISCONNECT
				&& packet.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header
				&& header.reasonCode() == IMPLEMENTATION_SPECIFIC_ERROR;
	}

	private boolean isBelow(int fraction) {
		return this.packets.get() <= MAX_PACKETS / fraction && this.bytes.get() <= MAX_BYTES / fraction;
	}

	/** Resumes reading if the backlog is small enough. Called on the event loop. */
	private void resume() {
		if (this.full && isBelow(FRACTION)) {
			this.full = false;
			this.listener.changed(false);
		}
	}

	/** Listener for the state of a backlog. */
	interface Listener {

		/**
		 * Called when the state changes.
		 * @param full whether the backlog is full
		 */
		void changed(boolean full);

	}

	/** End of a batch. Artemis releases it after executing the batch. */
	private final class BatchEnd extends MqttMessage implements ReferenceCounted {

		private final ChannelHandlerContext context;

		private final int packets;

		private final long bytes;

		private BatchEnd(ChannelHandlerContext context, int packets, long bytes) {
			super(new MqttFixedHeader(MqttMessageType.AUTH, false, MqttQoS.AT_MOST_ONCE, false, 0),
					new MqttReasonCodeAndPropertiesVariableHeader((byte) 0, MqttProperties.NO_PROPERTIES));
			this.context = context;
			this.packets = packets;
			this.bytes = bytes;
		}

		@Override
		public boolean release() {
			Backlog backlog = Backlog.this;
			backlog.memory.release(MemoryUse.INCOMING, this.bytes);
			backlog.packets.addAndGet(-this.packets);
			backlog.bytes.addAndGet(-this.bytes);
			if (backlog.full && backlog.isBelow(FRACTION)) {
				try {
					this.context.executor().execute(backlog::resume);
				}
				catch (RejectedExecutionException ex) {
					// The broker has stopped, which ended the connection.
				}
			}
			return true;
		}

		@Override
		public boolean release(int decrement) {
			return release();
		}

		@Override
		public int refCnt() {
			return 1;
		}

		@Override
		public ReferenceCounted retain() {
			return this;
		}

		@Override
		public ReferenceCounted retain(int increment) {
			return this;
		}

		@Override
		public ReferenceCounted touch() {
			return this;
		}

		@Override
		public ReferenceCounted touch(Object hint) {
			return this;
		}

	}

}
