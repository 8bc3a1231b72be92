package io.statestore.broker.packet;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Fixed header of an MQTT packet (MQTT 5 section 2.1.1).
 * <p>
 * Internal: not part of the API.
 *
 * @param type packet type, 1 for CONNECT
 * @param qos QoS level of a PUBLISH, 0 to 3, of which 3 is invalid
 * @param headerLength length of this header in bytes
 * @param remainingLength length of the rest of the packet in bytes
 */
public record FrameHeader(int type, int qos, int headerLength, int remainingLength) {

	/**
	 * Reads a header at the reader index, which does not move.
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
				? new FrameHeader(first >> 4, (first >> 1) & 3, headerLength, remainingLength) : null;
	}

	/**
	 * Returns the length of the entire packet.
	 * @return length in bytes
	 */
	public int frameLength() {
		return this.headerLength + this.remainingLength;
	}

}
