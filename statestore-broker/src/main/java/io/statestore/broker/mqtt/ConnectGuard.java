package io.statestore.broker.mqtt;

import java.util.List;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.mqtt.FrameHeader;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.ReasonCodes;
import org.slf4j.LoggerFactory;

/**
 * Decoder that holds a connection's first bytes until they form a complete CONNECT and
 * then removes itself. Any other bytes end the connection.
 */
final class ConnectGuard extends ByteToMessageDecoder {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(ConnectGuard.class));

	private static final byte CONNECT = 0x10;

	/** First byte of a TLS connection. No MQTT packet begins with it. */
	private static final byte TLS_HANDSHAKE = 0x16;

	/** Number of bytes in which the protocol name starts. No CONNECT is shorter. */
	private static final int FIRST_BYTES = 8;

	/**
	 * Size of a fixed header with a three-byte remaining length, which is at most 2 MiB.
	 */
	private static final int MAX_HEADER_LENGTH = 4;

	/** Estimated heap of a connection without a complete CONNECT, in bytes. */
	private static final int COST = 4 * 1024;

	private final int maxConnectSize;

	private final ClientShare memory;

	/** Called when the CONNECT is complete. */
	private final Runnable completed;

	/** Number of bytes reserved until the CONNECT is complete. */
	private int reserved;

	/**
	 * Creates a guard for one connection.
	 * @param maxConnectSize maximum size of a CONNECT, in bytes
	 * @param memory the client's memory share
	 * @param completed called when the CONNECT is complete
	 */
	ConnectGuard(int maxConnectSize, ClientShare memory, Runnable completed) {
		this.maxConnectSize = maxConnectSize;
		this.memory = memory;
		this.completed = completed;
	}

	@Override
	protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
		byte first = in.getByte(in.readerIndex());
		if (first == TLS_HANDSHAKE && !ServerSslHandler.isSecure(context.channel())) {
			clientLog.warn(
					"Closed a connection from {} that begins with TLS: this broker accepts plain MQTT. "
							+ "Connect without TLS (mqtt://), or configure a certificate of the broker",
					ClientAddress.of(context.channel()));
		}
		FrameHeader header;
		try {
			header = FrameHeader.read(in);
		}
		catch (DecoderException ex) {
			end(context, in);
			return;
		}
		if (first != CONNECT || header != null && header.frameLength() < FIRST_BYTES) {
			end(context, in);
		}
		else if (header == null || in.readableBytes() < FIRST_BYTES) {
			return;
		}
		else if (header.headerLength() > MAX_HEADER_LENGTH || !isProtocolName(in, header)) {
			end(context, in);
		}
		else if (header.frameLength() > this.maxConnectSize) {
			refuse(context, in, header, ReasonCodes.PACKET_TOO_LARGE);
		}
		else if (in.readableBytes() >= header.frameLength()) {
			this.memory.release(MemoryUse.CONNECTING, this.reserved);
			this.completed.run();
			context.pipeline().remove(this);
		}
		else if (!reserve(COST + in.readableBytes())) {
			refuse(context, in, header, ReasonCodes.QUOTA_EXCEEDED);
		}
	}

	/** Returns whether the protocol name is "MQTT" or, in MQTT 3.1, "MQIsdp". */
	private static boolean isProtocolName(ByteBuf in, FrameHeader header) {
		int index = in.readerIndex() + header.headerLength();
		int nameLength = in.getUnsignedShort(index);
		return (nameLength == 4 || nameLength == 6) && in.getByte(index + 2) == 'M' && in.getByte(index + 3) == 'Q';
	}

	/**
	 * Reserves memory for a CONNECT that has partly arrived. Most CONNECT packets arrive
	 * completely and need no reservation, so they pass even if slow senders hold all
	 * memory.
	 */
	private boolean reserve(int bytes) {
		if (!this.memory.tryReserve(MemoryUse.CONNECTING, bytes - this.reserved)) {
			return false;
		}
		this.reserved = bytes;
		return true;
	}

	/**
	 * Closes the connection. MQTT 5 clients receive a CONNACK first (MQTT 5 section 3.2).
	 */
	private static void refuse(ChannelHandlerContext context, ByteBuf in, FrameHeader header, int reasonCode) {
		// The version follows the protocol name "MQTT" and its length.
		int versionIndex = in.readerIndex() + header.headerLength() + 6;
		boolean mqtt5 = versionIndex < in.writerIndex() && in.getByte(versionIndex) == Packets.MQTT_5;
		in.skipBytes(in.readableBytes());
		if (mqtt5) {
			byte[] connack = { 0x20, 0x03, 0x00, (byte) reasonCode, 0x00 };
			context.writeAndFlush(Unpooled.wrappedBuffer(connack)).addListener(ChannelFutureListener.CLOSE);
		}
		else {
			context.close();
		}
	}

	private static void end(ChannelHandlerContext context, ByteBuf in) {
		in.skipBytes(in.readableBytes());
		context.close();
	}

}
