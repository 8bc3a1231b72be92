package io.statestore.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.DecoderException;

/**
 * Reads and writes variable byte integers (MQTT 5 section 1.5.5).
 * <p>
 * Internal: not part of the API.
 */
public final class VariableByteInteger {

	/** Stands for a number that has not arrived completely. */
	public static final int INCOMPLETE = -1;

	/** Largest valid number (MQTT 5 section 1.5.5). */
	public static final int MAX_VALUE = 268_435_455;

	private static final int MAX_BITS = 4 * 7;

	private VariableByteInteger() {
	}

	/**
	 * Reads a number.
	 * @param in the bytes, whose reader index moves past the number
	 * @return the number, or {@link #INCOMPLETE}
	 * @throws DecoderException if the number is longer than four bytes
	 */
	public static int read(ByteBuf in) {
		int value = 0;
		for (int shift = 0; shift < MAX_BITS; shift += 7) {
			if (!in.isReadable()) {
				return INCOMPLETE;
			}
			int digit = in.readUnsignedByte();
			value |= (digit & 0x7F) << shift;
			if (digit < 0x80) {
				return value;
			}
		}
		throw new DecoderException("A variable byte integer has more than four bytes");
	}

	/**
	 * Returns how many bytes a number takes.
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
