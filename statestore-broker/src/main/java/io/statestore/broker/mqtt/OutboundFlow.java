package io.statestore.broker.mqtt;

import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Queue;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttProperty;
import io.netty.handler.codec.mqtt.MqttProperties.StringPair;
import io.netty.handler.codec.mqtt.MqttProperties.UserProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.server.ClientLog;
import org.slf4j.LoggerFactory;

/**
 * Queue of outgoing messages to one client. Messages of the state store and of Artemis
 * share the packet ids and the Receive Maximum of the client, and keep their order. Used
 * on the event loop of the connection only; writes without flushing.
 */
final class OutboundFlow {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(OutboundFlow.class));

	/**
	 * Ends a connection after a failed write, because its client would miss a message.
	 * Errors are handled like those of incoming packets.
	 */
	private static final ChannelFutureListener END_ON_FAILURE = (written) -> {
		Throwable failure = written.cause();
		if (failure != null && !(failure instanceof ClosedChannelException)) {
			written.channel().pipeline().fireExceptionCaught(failure);
			written.channel().close();
		}
	};

	/** Estimated heap of a waiting message in addition to its packet. */
	static final int OVERHEAD = 256;

	/** Estimated heap of a property in addition to its text. */
	private static final int PROPERTY_OVERHEAD = 128;

	/** The largest packet of a client that takes any. */
	static final long NO_LIMIT = Long.MAX_VALUE;

	private final ChannelHandlerContext context;

	private final int receiveMaximum;

	private final long maxPacketSize;

	private final ClientShare memory;

	private final Runnable overflow;

	private final PacketIds ids = new PacketIds();

	private final Queue<Outgoing> waiting = new ArrayDeque<>();

	private boolean dropped;

	/**
	 * Create the flow towards a client.
	 * @param receiveMaximum how many unacknowledged messages the client takes
	 * @param maxPacketSize the largest packet it takes, in bytes, or {@link #NO_LIMIT}
	 * @param memory the memory of the client, in which messages wait
	 * @param overflow called when there is no memory for another message
	 */
	OutboundFlow(ChannelHandlerContext context, int receiveMaximum, long maxPacketSize, ClientShare memory,
			Runnable overflow) {
		this.context = context;
		this.receiveMaximum = receiveMaximum;
		this.maxPacketSize = maxPacketSize;
		this.memory = memory;
		this.overflow = overflow;
	}

	/** Send a message of ours. */
	void publish(OwnPublish publish) {
		if (this.maxPacketSize < NO_LIMIT && publish.size() > this.maxPacketSize) {
			// MQTT 5 section 3.1.2.11.4: dropped as if it had been sent
			warnOfDrop(publish);
			return;
		}
		offer(new Own(publish));
	}

	/**
	 * Once for each connection, which the client can make happen as often as it likes.
	 */
	private void warnOfDrop(OwnPublish publish) {
		if (!this.dropped) {
			this.dropped = true;
			clientLog.warn(
					"Dropped a {} of {} bytes to {}: the client accepts packets of at most {} bytes. "
							+ "Give it a larger Maximum Packet Size (not logged again for this connection)",
					publish.message().kind(), publish.size(), this.context.channel().remoteAddress(),
					this.maxPacketSize);
		}
	}

	/** Send an acknowledgment after everything that was given to this flow before. */
	void acknowledge(MqttMessage acknowledgement) {
		offer(new Acknowledgement(acknowledgement));
	}

	/** Send a message of the broker with QoS 1 or 2. */
	void pass(MqttPublishMessage publish, ChannelPromise promise) {
		offer(new Brokers(publish, promise));
	}

	/** The broker sends a PUBREL: that id is in use, maybe since a former connection. */
	void brokerReleases(int packetId) {
		if (!this.ids.isOurs(packetId)) {
			this.ids.brokerTakes(packetId);
		}
	}

	/**
	 * The client has acknowledged a message of QoS 1.
	 * @return whether it was one of ours
	 */
	boolean acknowledged(int packetId) {
		boolean ours = this.ids.release(packetId);
		if (ours) {
			drain();
		}
		else {
			completed(packetId);
		}
		return ours;
	}

	/** The client is done with a message of the broker. */
	void completed(int packetId) {
		this.ids.brokerReleases(packetId);
		drain();
	}

	/** Send what was waiting and can go now. */
	void drain() {
		Outgoing next = this.waiting.peek();
		while (next != null && next.canGo()) {
			// Before it is sent: a write that changes whether the channel is writable
			// comes back here.
			this.waiting.remove();
			this.memory.release(MemoryUse.OUTGOING, next.size() + OVERHEAD);
			next.send();
			next = this.waiting.peek();
		}
	}

	/** Forget what is waiting; the connection has ended. */
	void close() {
		this.waiting.forEach((outgoing) -> {
			this.memory.release(MemoryUse.OUTGOING, outgoing.size() + OVERHEAD);
			outgoing.discard();
		});
		this.waiting.clear();
	}

	private void offer(Outgoing outgoing) {
		if (this.waiting.isEmpty() && outgoing.canGo()) {
			outgoing.send();
			return;
		}
		if (this.memory.tryReserve(MemoryUse.OUTGOING, outgoing.size() + OVERHEAD)) {
			this.waiting.add(outgoing);
		}
		else {
			outgoing.discard();
			this.overflow.run();
		}
	}

	private boolean hasRoom() {
		return this.ids.inFlight() < Math.min(this.receiveMaximum, PacketIds.MAX)
				&& this.context.channel().isWritable();
	}

	private static long sizeOf(MqttProperties properties) {
		long size = 0;
		for (MqttProperty<?> property : properties.listAll()) {
			size += PROPERTY_OVERHEAD;
			if (property.value() instanceof String text) {
				size += text.length();
			}
			else if (property.value() instanceof byte[] bytes) {
				size += bytes.length;
			}
			else if (property instanceof UserProperties users) {
				for (StringPair user : users.value()) {
					size += PROPERTY_OVERHEAD + user.key.length() + user.value.length();
				}
			}
		}
		return size;
	}

	private sealed interface Outgoing {

		boolean canGo();

		void send();

		default long size() {
			return 0;
		}

		default void discard() {
		}

	}

	private final class Own implements Outgoing {

		private final OwnPublish publish;

		private Own(OwnPublish publish) {
			this.publish = publish;
		}

		@Override
		public boolean canGo() {
			return (this.publish.qos() > 0) ? hasRoom() : OutboundFlow.this.context.channel().isWritable();
		}

		@Override
		public void send() {
			int packetId = (this.publish.qos() > 0) ? OutboundFlow.this.ids.take() : 0;
			ChannelHandlerContext context = OutboundFlow.this.context;
			context.write(this.publish.encode(context.alloc(), packetId)).addListener(END_ON_FAILURE);
		}

		@Override
		public long size() {
			return this.publish.size();
		}

	}

	private final class Brokers implements Outgoing {

		private final MqttPublishMessage publish;

		private final ChannelPromise promise;

		private Brokers(MqttPublishMessage publish, ChannelPromise promise) {
			this.publish = publish;
			this.promise = promise;
		}

		@Override
		public boolean canGo() {
			return hasRoom() && !OutboundFlow.this.ids.isOurs(this.publish.variableHeader().packetId());
		}

		@Override
		public void send() {
			OutboundFlow.this.ids.brokerTakes(this.publish.variableHeader().packetId());
			OutboundFlow.this.context.write(this.publish, this.promise);
		}

		@Override
		public long size() {
			return this.publish.payload().readableBytes() + this.publish.variableHeader().topicName().length()
					+ sizeOf(this.publish.variableHeader().properties());
		}

		@Override
		public void discard() {
			ReferenceCountUtil.release(this.publish);
			if (!this.promise.isVoid()) {
				this.promise.tryFailure(new ClosedChannelException());
			}
		}

	}

	private final class Acknowledgement implements Outgoing {

		private final MqttMessage packet;

		private Acknowledgement(MqttMessage packet) {
			this.packet = packet;
		}

		@Override
		public boolean canGo() {
			return true;
		}

		@Override
		public void send() {
			OutboundFlow.this.context.write(this.packet).addListener(END_ON_FAILURE);
		}

	}

}
