package io.statestore.broker.artemis;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;

/**
 * Channel handler that counts the packets of one connection waiting for Artemis. Artemis
 * 2.43 executes packets on a thread of its own and queues them without a limit. Each
 * batch of packets is therefore followed by a {@link BatchEnd}, whose release shows that
 * Artemis has executed the batch. While the backlog is full, the listener suspends
 * reading from the client.
 */
final class Backlog extends ChannelInboundHandlerAdapter {

	/** Maximum number of packets. A full backlog may exceed it by one. */
	static final int MAX_PACKETS = 256;

	/** Maximum estimated heap of the packets in bytes. A full backlog may exceed it. */
	static final long MAX_BYTES = 1024 * 1024;

	/** Divisor of a maximum. A batch ends, and reading resumes, at the quotient. */
	private static final int DIVISOR = 4;

	/** Estimated heap of a decoded packet in addition to its size. */
	private static final int PACKET_COST = 512;

	/** Estimated heap of a user property or filter in addition to its text. */
	private static final int ELEMENT_COST = 128;

	private final AtomicInteger packets = new AtomicInteger();

	private final AtomicLong bytes = new AtomicLong();

	private final ClientShare memory;

	private BacklogListener listener = (full) -> {
	};

	/** Number of packets since the latest end of a batch. */
	private int batchPackets;

	/** Estimated heap of the packets since the latest end of a batch. */
	private long batchBytes;

	/** Whether the client has sent a DISCONNECT, after which Artemis ignores packets. */
	private boolean ended;

	private volatile boolean full;

	/**
	 * Creates an empty backlog.
	 * @param memory share of the client, charged for the packets
	 */
	Backlog(ClientShare memory) {
		this.memory = memory;
	}

	/**
	 * Sets the listener, which replaces the previous one.
	 * @param listener called on the event loop
	 */
	void setListener(BacklogListener listener) {
		this.listener = listener;
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) {
		if (this.ended || !(message instanceof MqttMessage packet) || packet.decoderResult().isFailure()) {
			context.fireChannelRead(message);
			return;
		}
		MqttMessageType type = packet.fixedHeader().messageType();
		this.ended = type == MqttMessageType.DISCONNECT;
		if (!isQueued(type)) {
			context.fireChannelRead(packet);
			return;
		}
		add(packet);
		context.fireChannelRead(packet);
		boolean above = !isBelow(1);
		if (above || this.batchPackets >= MAX_PACKETS / DIVISOR || this.batchBytes >= MAX_BYTES / DIVISOR) {
			endBatch(context);
		}
		if (above && !this.full) {
			this.full = true;
			this.listener.backlogChanged(true);
			resume();
		}
	}

	/**
	 * Returns whether packets of a type count. The single CONNECT is part of the memory
	 * of the connection, Artemis answers a PINGREQ at once, and no packet follows a
	 * DISCONNECT.
	 */
	private static boolean isQueued(MqttMessageType type) {
		return switch (type) {
			case CONNECT, PINGREQ, DISCONNECT -> false;
			default -> true;
		};
	}

	private void add(MqttMessage packet) {
		long size = size(packet);
		this.memory.reserve(MemoryUse.INCOMING, size);
		this.packets.incrementAndGet();
		this.bytes.addAndGet(size);
		this.batchPackets++;
		this.batchBytes += size;
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
		return properties.getProperties(MqttProperties.USER_PROPERTY).size();
	}

	@Override
	public void channelReadComplete(ChannelHandlerContext context) {
		endBatch(context);
		context.fireChannelReadComplete();
	}

	private void endBatch(ChannelHandlerContext context) {
		if (this.batchPackets == 0 || this.ended) {
			return;
		}
		int count = this.batchPackets;
		long size = this.batchBytes;
		this.batchPackets = 0;
		this.batchBytes = 0;
		context.fireChannelRead(new BatchEnd(() -> remove(context, count, size)));
	}

	/** Removes an executed batch. Called on any thread. */
	private void remove(ChannelHandlerContext context, int count, long size) {
		this.memory.release(MemoryUse.INCOMING, size);
		this.packets.addAndGet(-count);
		this.bytes.addAndGet(-size);
		if (this.full && isBelow(DIVISOR)) {
			try {
				context.executor().execute(this::resume);
			}
			catch (RejectedExecutionException ex) {
				// The broker has stopped, which ended the connection.
			}
		}
	}

	private boolean isBelow(int fraction) {
		return this.packets.get() <= MAX_PACKETS / fraction && this.bytes.get() <= MAX_BYTES / fraction;
	}

	/** Resumes reading if the backlog is small enough. Called on the event loop. */
	private void resume() {
		if (this.full && isBelow(DIVISOR)) {
			this.full = false;
			this.listener.backlogChanged(false);
		}
	}

}
