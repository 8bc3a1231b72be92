package io.statestore.mqtt;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The fixed header of an MQTT packet (MQTT 5 section 2.1.1).
 * <p>
 * Internal: not part of the API.
 *
 * @param first packet type and flags
 * @param headerLength length of this header, in bytes
 * @param remainingLength length of the rest of the packet, in bytes
 */
public record FrameHeader(int first, int headerLength, int remainingLength) {

	/**
	 * Reads a header at the reader index without moving the index.
	 * @param in the bytes received so far, at least one
	 * @return the header, or {@code null} if more bytes are needed
	 * @throws io.netty.handler.codec.DecoderException if the length is malformed
	 */
	public static @Nullable FrameHeader read(ByteBuf in) {
		int start = in.readerIndex();
		int first = in.readUnsignedByte();
		int remainingLength = VariableByteInteger.read(in);
		int headerLength = in.readerIndex() - start;
		in.readerIndex(start);
		return (remainingLength != VariableByteInteger.INCOMPLETE)
				? new FrameHeader(first, headerLength, remainingLength) : null;
	}

	/**
	 * Returns the packet type.
	 * @return the type, such as 1 for CONNECT
	 */
	public int type() {
		return this.first >> 4;
	}

	/**
	 * Returns the QoS level of a PUBLISH.
	 * @return 0 to 3, of which 3 is invalid
	 */
	public int qos() {
		return (this.first >> 1) & 3;
	}

	boolean isDup() {
		return (this.first & 1 << 3) != 0;
	}

	boolean isRetain() {
		return (this.first & 1) != 0;
	}

	/**
	 * Returns the length of the entire packet.
	 * @return the length in bytes, including this header
	 */
	public int frameLength() {
		return this.headerLength + this.remainingLength;
	}

}
