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

	/** Frame length of {@link #INCOMPLETE}. */
	private static final int UNKNOWN = -1;

	/** Takes the place of a header of which more bytes are needed. */
	public static final FrameHeader INCOMPLETE = new FrameHeader(0, 0, 0, UNKNOWN);

	/**
	 * Reads a header at the reader index, which does not move.
	 * @param in the bytes received so far
	 * @return the header, {@link #INCOMPLETE}, or {@code null} if the length is malformed
	 */
	public static @Nullable FrameHeader read(ByteBuf in) {
		int start = in.readerIndex();
		if (in.readableBytes() < 2) {
			return INCOMPLETE;
		}
		VariableByteInteger length = VariableByteInteger.read(in, start + 1, in.writerIndex());
		if (length == null) {
			return null;
		}
		if (length == VariableByteInteger.INCOMPLETE) {
			return INCOMPLETE;
		}
		int first = in.getUnsignedByte(start);
		return new FrameHeader(first >> 4, (first >> 1) & 3, 1 + length.length(), length.value());
	}

	/**
	 * Returns the length of the entire packet.
	 * @return length in bytes
	 */
	public int frameLength() {
		return this.headerLength + this.remainingLength;
	}

}
