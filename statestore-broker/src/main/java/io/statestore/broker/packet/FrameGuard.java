package io.statestore.broker.packet;

import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttMessageFactory;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.mqtt.Frame;
import io.statestore.mqtt.FrameHeader;
import io.statestore.mqtt.Publish;
import org.jspecify.annotations.Nullable;

/**
 * Channel handler that decodes PUBLISH packets, the most frequent type, and passes
 * complete packets of other types to Netty's decoder, one at a time. Netty's decoder
 * reparses an incomplete packet from its beginning whenever bytes arrive, so slowly sent
 * packets with large properties would take quadratic time.
 * <p>
 * While reading from a client is suspended, holds packets that have already arrived,
 * because Netty reads up to 32 KiB at a time. At the end of the connection, held packets
 * are passed on.
 * <p>
 * Also limits the size of properties, and of entire packets other than PUBLISH, because
 * decoding multiplies their size in memory. A packet above a limit is replaced with a
 * message whose decoding has failed, and later packets are discarded.
 * <p>
 * Internal: not part of the API.
 */
public final class FrameGuard extends ByteToMessageDecoder {

	/** Minimum size of a packet for which memory is reserved, in bytes. */
	private static final int MIN_RESERVED = 16 * 1024;

	private final int maxPacketSize;

	private final int maxPropertiesSize;

	private final ClientShare memory;

	/** Number of bytes reserved for the packet that is arriving. */
	private int reserved;

	/** Whether a CONNECT has arrived. */
	private boolean connected;

	/** Whether packets have properties. */
	private boolean mqtt5;

	/** Whether a packet was refused, after which all bytes are discarded. */
	private boolean failed;

	/**
	 * Creates a guard for packets sent by a client. A packet is refused if the memory of
	 * the client is exhausted.
	 * @param maxPacketSize maximum remaining length, in bytes
	 * @param maxPropertiesSize maximum size of the properties, in bytes
	 * @param memory the client's memory share, charged for large packets
	 */
	public FrameGuard(int maxPacketSize, int maxPropertiesSize, ClientShare memory) {
		this.maxPacketSize = maxPacketSize;
		this.maxPropertiesSize = maxPropertiesSize;
		this.memory = memory;
	}

	@Override
	protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
		if (this.failed) {
			in.skipBytes(in.readableBytes());
			return;
		}
		if (isSuspended(context)) {
			return;
		}
		try {
			Object packet = next(in);
			if (packet != null) {
				out.add(packet);
			}
		}
		catch (DecoderException ex) {
			fail(in, out, ex);
		}
		catch (IndexOutOfBoundsException ex) {
			fail(in, out, new DecoderException("The properties of the packet are malformed", ex));
		}
	}

	/** Returns the next packet, or {@code null} if it is incomplete. */
	private @Nullable Object next(ByteBuf in) {
		FrameHeader header = FrameHeader.read(in);
		if (header != null && header.remainingLength() > maxSize(header)) {
			throw tooLarge("a packet of type " + header.type(), header.remainingLength(), maxSize(header));
		}
		if (header != null && in.readableBytes() >= header.frameLength()) {
			release();
			return (header.type() == MqttMessageType.PUBLISH.value()) ? decode(header, in)
					: pass(new Frame(header, in.slice(in.readerIndex(), header.frameLength())), in);
		}
		if (in.readableBytes() >= MIN_RESERVED && !reserve(in.capacity())) {
			throw new RefusedPacketException(ReasonCodes.QUOTA_EXCEEDED, "the memory for this packet is exhausted");
		}
		return null;
	}

	private boolean isSuspended(ChannelHandlerContext context) {
		return !context.channel().config().isAutoRead() && context.channel().isActive();
	}

	@Override
	public void channelReadComplete(ChannelHandlerContext context) throws Exception {
		if (isSuspended(context)) {
			// The superclass would keep reading until it has passed on a packet.
			context.fireChannelReadComplete();
		}
		else {
			super.channelReadComplete(context);
		}
	}

	/**
	 * Passes on held packets after reading has resumed, before more packets are read. May
	 * be called while a handler is still running.
	 * @param pipeline the client's pipeline
	 */
	public static void resume(ChannelPipeline pipeline) {
		ChannelHandlerContext context = pipeline.context(FrameGuard.class);
		if (context != null) {
			context.executor().execute(() -> ((FrameGuard) context.handler()).resume(context));
		}
	}

	private void resume(ChannelHandlerContext context) {
		try {
			passHeld(context);
		}
		catch (Exception ex) {
			context.fireExceptionCaught(ex);
		}
	}

	private void passHeld(ChannelHandlerContext context) throws Exception {
		try {
			channelRead(context, Unpooled.EMPTY_BUFFER);
		}
		finally {
			channelReadComplete(context);
		}
	}

	/**
	 * Returns the maximum remaining length of a packet. The properties limit applies to
	 * entire packets, except to PUBLISH, whose payload is not decoded, and to the first
	 * CONNECT. The reason is that other content, such as the filters in a SUBSCRIBE, also
	 * takes many times its size when decoded.
	 */
	private int maxSize(FrameHeader header) {
		boolean first = header.type() == MqttMessageType.CONNECT.value() && !this.connected;
		boolean large = first || header.type() == MqttMessageType.PUBLISH.value();
		return large ? this.maxPacketSize : Math.min(this.maxPacketSize, this.maxPropertiesSize);
	}

	/**
	 * Reserves memory for the buffer that holds the part of a packet that has arrived.
	 * The announced size is not reserved, because a client can announce a packet without
	 * sending it. Small packets are part of a connection's memory.
	 */
	private boolean reserve(int capacity) {
		if (capacity <= this.reserved) {
			return true;
		}
		if (!this.memory.tryReserve(MemoryUse.INCOMING, capacity - this.reserved)) {
			return false;
		}
		this.reserved = capacity;
		return true;
	}

	private void release() {
		this.memory.release(MemoryUse.INCOMING, this.reserved);
		this.reserved = 0;
	}

	private Publish decode(FrameHeader header, ByteBuf in) {
		in.skipBytes(header.headerLength());
		Publish publish = new Publish(header, in.readSlice(header.remainingLength()), this.mqtt5,
				this.maxPropertiesSize);
		if (publish.isSkipped()) {
			throw tooLarge("properties", publish.propertiesSize(), this.maxPropertiesSize);
		}
		return publish;
	}

	private ByteBuf pass(Frame frame, ByteBuf in) {
		int type = frame.header().type();
		if (isUnexpected(type)) {
			throw new DecoderException("A client must not send a packet of type " + type);
		}
		if (type == MqttMessageType.CONNECT.value()) {
			if (this.connected) {
				// Netty's decoder would switch to this packet's MQTT version.
				throw new RefusedPacketException(ReasonCodes.PROTOCOL_ERROR, "a second CONNECT");
			}
			this.connected = true;
			this.mqtt5 = frame.isMqtt5();
		}
		else if (this.mqtt5 && frame.propertiesSize() > this.maxPropertiesSize) {
			throw tooLarge("properties", frame.propertiesSize(), this.maxPropertiesSize);
		}
		if (this.mqtt5) {
			frame.arrangeProperties();
		}
		return in.readRetainedSlice(frame.header().frameLength());
	}

	/** Replaces a packet with a failed message, like Netty's decoder. */
	private void fail(ByteBuf in, List<Object> out, DecoderException cause) {
		this.failed = true;
		release();
		in.skipBytes(in.readableBytes());
		out.add(MqttMessageFactory.newInvalidMessage(cause));
	}

	/** Returns whether clients never send packets of a type (MQTT 5 section 2.1.2). */
	private static boolean isUnexpected(int type) {
		if (type == 0) {
			return false;
		}
		return switch (MqttMessageType.valueOf(type)) {
			case CONNACK, SUBACK, UNSUBACK, PINGRESP -> true;
			default -> false;
		};
	}

	private static RefusedPacketException tooLarge(String what, int size, int max) {
		return new RefusedPacketException(ReasonCodes.PACKET_TOO_LARGE,
				what + " with " + size + " bytes, more than the maximum of " + max);
	}

	/** Thrown for a packet that is refused although it is well-formed. */
	public static final class RefusedPacketException extends DecoderException {

		private static final long serialVersionUID = 1L;

		private final int reasonCode;

		RefusedPacketException(int reasonCode, String reason) {
			super(reason);
			this.reasonCode = reasonCode;
		}

		/**
		 * Returns the reason code for the client.
		 * @return an MQTT 5 reason code
		 */
		public int reasonCode() {
			return this.reasonCode;
		}

	}

}
