package io.statestore.broker.mqtt;

import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Queue;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.OutgoingMessage;
import org.slf4j.LoggerFactory;

/**
 * Queue of outgoing messages to one client. Messages of the state store and ordinary ones
 * share the packet identifiers and the Receive Maximum of the client, and keep their
 * order. Used on the event loop of the connection only. Writes without flushing.
 */
final class OutboundFlow {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(OutboundFlow.class));

	/**
	 * Listener that ends a connection after a failed write, because its client would miss
	 * a message. Errors are handled like those of incoming packets.
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

	/** Maximum packet size of a client that accepts packets of any size. */
	static final long NO_LIMIT = Long.MAX_VALUE;

	private final ChannelHandlerContext context;

	private final int receiveMaximum;

	private final long maxPacketSize;

	private final ClientShare memory;

	/** Called when memory for another message is exhausted. */
	private final Runnable overflow;

	private final PacketIds ids = new PacketIds();

	private final Queue<Outgoing> waiting = new ArrayDeque<>();

	/** Whether a message was dropped because of its size. */
	private boolean dropped;

	/**
	 * Creates an empty queue.
	 * @param context context of the handler of the connection
	 * @param receiveMaximum maximum number of unacknowledged messages with QoS 1 or 2
	 * @param maxPacketSize maximum packet size of the client in bytes, or
	 * {@link #NO_LIMIT}
	 * @param memory the share of the client, charged for waiting messages
	 * @param overflow called when memory for another message is exhausted
	 */
	OutboundFlow(ChannelHandlerContext context, int receiveMaximum, long maxPacketSize, ClientShare memory,
			Runnable overflow) {
		this.context = context;
		this.receiveMaximum = receiveMaximum;
		this.maxPacketSize = maxPacketSize;
		this.memory = memory;
		this.overflow = overflow;
	}

	/**
	 * Sends a message of the state store, now or later. Drops it if it exceeds the
	 * maximum packet size.
	 * @param publish the message
	 * @return whether the client will acknowledge the message
	 */
	boolean publish(OwnPublish publish) {
		OwnPublish fitting = (this.maxPacketSize < NO_LIMIT) ? publish.within(this.maxPacketSize) : publish;
		if (fitting == null) {
			// Counts as sent (MQTT 5 section 3.1.2.11.4).
			warnOfDrop(publish);
			return false;
		}
		offer(new StoreMessage(fitting));
		return fitting.qos() > 0;
	}

	/** Warns once for each connection, because clients can cause drops at any rate. */
	private void warnOfDrop(OwnPublish publish) {
		if (!this.dropped) {
			this.dropped = true;
			clientLog.warn(
					"Dropped a {} of {} bytes to {}: the client accepts packets of at most {} bytes. "
							+ "Give it a larger Maximum Packet Size (not logged again for this connection)",
					publish.message().kind(), publish.size(), ClientAddress.of(this.context.channel()),
					this.maxPacketSize);
		}
	}

	/**
	 * Sends an acknowledgment after all messages that are already in this queue.
	 * @param acknowledgment the PUBACK or PUBREC
	 */
	void acknowledge(MqttMessage acknowledgment) {
		offer(new Acknowledgment(acknowledgment));
	}

	/**
	 * Sends an ordinary message with QoS 1 or 2, now or later.
	 * @param publish the message, whose reference is taken over
	 * @param promise notified when the message is written
	 */
	void pass(MqttPublishMessage publish, ChannelPromise promise) {
		offer(new OrdinaryMessage(publish, promise));
	}

	/**
	 * Handles a PUBREL to the client. Its identifier is in use, perhaps since an earlier
	 * connection.
	 * @param packetId packet identifier
	 */
	void releasing(int packetId) {
		if (!this.ids.isOurs(packetId)) {
			this.ids.ordinaryTaken(packetId);
		}
	}

	/**
	 * Handles a PUBACK of the client.
	 * @param packetId packet identifier
	 * @return whether it acknowledges a message of the state store
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

	/**
	 * Handles the end of the exchange of an ordinary message.
	 * @param packetId packet identifier
	 */
	void completed(int packetId) {
		this.ids.ordinaryReleased(packetId);
		drain();
	}

	/** Sends waiting messages, up to the first that must still wait. */
	void drain() {
		Outgoing next = this.waiting.peek();
		while (next != null && next.isReady()) {
			// Removed first, because a write that makes the channel unwritable calls this
			// method again.
			this.waiting.remove();
			this.memory.release(MemoryUse.OUTGOING, next.size() + OVERHEAD);
			next.send();
			next = this.waiting.peek();
		}
	}

	/**
	 * Discards waiting notifications, because the client may no longer receive them.
	 * @param topic the topic of the notifications
	 * @return the number of discarded notifications
	 */
	int discardNotifications(String topic) {
		int before = this.waiting.size();
		this.waiting.removeIf((outgoing) -> {
			boolean discarded = outgoing instanceof StoreMessage message && message.isNotification(topic);
			if (discarded) {
				this.memory.release(MemoryUse.OUTGOING, outgoing.size() + OVERHEAD);
			}
			return discarded;
		});
		int count = before - this.waiting.size();
		// The messages after them may be ready.
		drain();
		return count;
	}

	/** Discards waiting messages after the end of the connection. */
	void close() {
		this.waiting.forEach((outgoing) -> {
			this.memory.release(MemoryUse.OUTGOING, outgoing.size() + OVERHEAD);
			outgoing.discard();
		});
		this.waiting.clear();
	}

	private void offer(Outgoing outgoing) {
		if (this.waiting.isEmpty() && outgoing.isReady()) {
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

	/** Returns whether the client accepts another unacknowledged message. */
	private boolean hasRoom() {
		return this.ids.inFlight() < Math.min(this.receiveMaximum, PacketIds.MAX)
				&& this.context.channel().isWritable();
	}

	/** A waiting message. */
	private sealed interface Outgoing {

		/** Returns whether the message can be sent now. */
		boolean isReady();

		void send();

		/** Returns the size in bytes that is charged to the client. */
		default long size() {
			return 0;
		}

		default void discard() {
		}

	}

	/** A message of the state store. */
	private final class StoreMessage implements Outgoing {

		private final OwnPublish publish;

		private StoreMessage(OwnPublish publish) {
			this.publish = publish;
		}

		private boolean isNotification(String topic) {
			OutgoingMessage message = this.publish.message();
			return message.kind() == OutgoingMessage.Kind.NOTIFICATION && message.topic().equals(topic);
		}

		@Override
		public boolean isReady() {
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

	/** An ordinary message. */
	private final class OrdinaryMessage implements Outgoing {

		private final MqttPublishMessage publish;

		private final ChannelPromise promise;

		private OrdinaryMessage(MqttPublishMessage publish, ChannelPromise promise) {
			this.publish = publish;
			this.promise = promise;
		}

		@Override
		public boolean isReady() {
			return hasRoom() && !OutboundFlow.this.ids.isOurs(this.publish.variableHeader().packetId());
		}

		@Override
		public void send() {
			OutboundFlow.this.ids.ordinaryTaken(this.publish.variableHeader().packetId());
			OutboundFlow.this.context.write(this.publish, this.promise);
		}

		@Override
		public long size() {
			return HeapEstimate.of(this.publish);
		}

		@Override
		public void discard() {
			ReferenceCountUtil.release(this.publish);
			if (!this.promise.isVoid()) {
				this.promise.tryFailure(new ClosedChannelException());
			}
		}

	}

	/** An acknowledgment, which only keeps its place in the order. */
	private final class Acknowledgment implements Outgoing {

		private final MqttMessage packet;

		private Acknowledgment(MqttMessage packet) {
			this.packet = packet;
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void send() {
			OutboundFlow.this.context.write(this.packet).addListener(END_ON_FAILURE);
		}

	}

}
