package io.statestore.broker.packet;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Variable byte integer (MQTT 5 section 1.5.5).
 * <p>
 * Internal: not part of the API.
 *
 * @param value the number
 * @param length number of its bytes, 1 to 4
 */
public record VariableByteInteger(int value, int length) {

	/** Takes the place of a number of which more bytes are needed. */
	static final VariableByteInteger INCOMPLETE = new VariableByteInteger(-1, 0);

	private static final int MAX_LENGTH = 4;

	/**
	 * Reads a number.
	 * @param in the bytes
	 * @param index index of the first byte
	 * @param end index after the last available byte
	 * @return the number, {@link #INCOMPLETE}, or {@code null} if it is longer than four
	 * bytes
	 */
	static @Nullable VariableByteInteger read(ByteBuf in, int index, int end) {
		int value = 0;
		for (int i = 0; i < MAX_LENGTH; i++) {
			if (index + i >= end) {
				return INCOMPLETE;
			}
			int digit = in.getUnsignedByte(index + i);
			value |= (digit & 0x7F) << (7 * i);
			if (digit < 0x80) {
				return new VariableByteInteger(value, i + 1);
			}
		}
		return null;
	}

	/**
	 * Returns the number of bytes of a number.
	 * @param number a number that is not negative
	 * @return 1 to 4 for numbers that MQTT permits
	 */
	public static int lengthOf(long number) {
		int length = 1;
		for (long rest = number >>> 7; rest > 0; rest >>>= 7) {
			length++;
		}
		return length;
	}

	/**
	 * Writes a number.
	 * @param out receives the bytes
	 * @param number a number that is not negative
	 */
	public static void write(ByteBuf out, long number) {
		long rest = number;
		while (rest > 0x7F) {
			out.writeByte((int) (rest & 0x7F | 0x80));
			rest >>>= 7;
		}
		out.writeByte((int) rest);
	}

}
