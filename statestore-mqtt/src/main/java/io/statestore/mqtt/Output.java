package io.statestore.mqtt;

import java.io.IOException;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import org.jspecify.annotations.Nullable;

/**
 * A connection's outgoing packets. Small packets share buffers, so that many packets are
 * passed to the network in one system call. Used only on the event loop, except for
 * {@link #progress()}.
 */
public final class Output {

	/**
	 * Maximum size of a shared buffer, in bytes. Larger packets have their own buffer.
	 */
	private static final int BUFFER_SIZE = 16 * 1024;

	/**
	 * Initial size of a buffer, in bytes. It is small because there may be many buffers
	 * for receivers that do not read.
	 */
	private static final int MIN_BUFFER_SIZE = 256;

	private static final int ACKNOWLEDGMENT_SIZE = 4;

	/** Maximum number of unanswered messages and acknowledgments that MQTT permits. */
	private static final int MAX_PENDING = 2 * 65_535;

	private final Channel channel;

	private final int chunkSize;

	/** Packets not yet written to the channel, {@code null} if there are none. */
	private @Nullable ByteBuf buffer;

	/** Number of packets in the buffer. */
	private int buffered;

	/** Number of packets written to the channel. */
	private long written;

	/** Number of bytes written to the channel. */
	private volatile long bytes;

	/** Number of packets that the network has accepted. */
	private volatile long packets;

	/**
	 * Creates an output without packets.
	 * @param channel the connection, whose pipeline encodes each {@link MqttMessage}
	 * @param chunkSize number of bytes written together, so that progress is visible in
	 * between. Handlers that write in {@code channelWritabilityChanged} require a single
	 * chunk per packet
	 */
	public Output(Channel channel, int chunkSize) {
		this.channel = channel;
		this.chunkSize = chunkSize;
	}

	/**
	 * Writes a message.
	 * @param message the message to send
	 * @param packetId packet identifier, ignored for QoS 0
	 * @param repeated whether the message was already sent on an earlier connection
	 */
	public void publish(OutgoingPublish message, int packetId, boolean repeated) {
		int size = (int) message.size();
		boolean large = size > BUFFER_SIZE;
		if (large) {
			submit();
		}
		ByteBuf packet = large ? this.channel.alloc().directBuffer(size) : buffer(size);
		int start = packet.writerIndex();
		try {
			message.write(packet, packetId, repeated);
		}
		catch (RuntimeException | Error ex) {
			packet.writerIndex(start);
			if (large) {
				packet.release();
			}
			throw ex;
		}
		if (large) {
			writeChunks(packet);
		}
		else {
			this.buffered++;
		}
	}

	private void writeChunks(ByteBuf packet) {
		while (packet.readableBytes() > this.chunkSize) {
			write(packet.readRetainedSlice(this.chunkSize), 0);
		}
		write(packet, 1);
	}

	/**
	 * Writes a PUBACK that reports success.
	 * @param packetId packet identifier of the acknowledged message
	 */
	public void acknowledge(int packetId) {
		buffer(ACKNOWLEDGMENT_SIZE).writeByte(MqttMessageType.PUBACK.value() << 4).writeByte(2).writeShort(packetId);
		this.buffered++;
	}

	/**
	 * Writes any other packet.
	 * @param packet any packet except PUBLISH
	 * @return a future that completes once the network has accepted the packet
	 */
	public ChannelFuture write(MqttMessage packet) {
		submit();
		return this.channel.write(packet);
	}

	/** Passes all packets to the network. */
	public void flush() {
		submit();
		this.channel.flush();
	}

	/** Discards packets that are not written yet. */
	void discard() {
		if (this.buffer != null) {
			this.buffer.release();
			this.buffer = null;
		}
	}

	/** Returns a buffer with room for a packet of a given size. */
	private ByteBuf buffer(int size) {
		if (this.buffer != null && this.buffer.maxWritableBytes() < size) {
			submit();
		}
		ByteBuf current = this.buffer;
		if (current == null) {
			current = this.channel.alloc().directBuffer(MIN_BUFFER_SIZE, BUFFER_SIZE);
			this.buffer = current;
		}
		return current;
	}

	private void submit() {
		ByteBuf current = this.buffer;
		if (current != null) {
			this.buffer = null;
			int count = this.buffered;
			this.buffered = 0;
			write(current, count);
		}
	}

	@SuppressWarnings("NonAtomicOperationOnVolatileField")
	private void write(ByteBuf data, int count) {
		this.written += count;
		this.bytes += data.readableBytes();
		this.channel.write(data).addListener((written) -> {
			this.packets += count;
			// An IOException ends the connection anyway.
			if (!written.isSuccess() && !(written.cause() instanceof IOException)) {
				this.channel.pipeline().fireExceptionCaught(written.cause());
			}
		});
	}

	/** Returns whether more packets are waiting than a well-behaved broker can cause. */
	boolean isOverfull() {
		return this.written - this.packets > MAX_PENDING;
	}

	/** Returns the number of packets and bytes that the network has accepted. */
	Progress progress() {
		ChannelOutboundBuffer pending = this.channel.unsafe().outboundBuffer();
		return new Progress(this.packets, this.bytes - ((pending != null) ? pending.totalPendingWriteBytes() : 0));
	}

}
