package io.statestore.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * An immutable sequence of bytes, such as a key, a value, or correlation data. Instances
 * are compared by content, ordered as unsigned bytes, and thread-safe. A slice shares
 * memory with the message it comes from.
 * <p>
 * {@link #toString()} contains only the length, so that values never appear in logs.
 */
public final class Bytes implements Comparable<Bytes> {

	/** An empty sequence. */
	public static final Bytes EMPTY = new Bytes(new byte[0], 0, 0);

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

	/**
	 * Random secret for hashing, which differs in each process so that clients cannot
	 * choose bytes with equal hashes. Every product depends on both secrets.
	 */
	private static final long SECRET = new SecureRandom().nextLong();

	private static final long OTHER_SECRET = new SecureRandom().nextLong();

	private final byte[] array;

	private final int offset;

	private final int length;

	private int hash;

	private Bytes(byte[] array, int offset, int length) {
		this.array = array;
		this.offset = offset;
		this.length = length;
	}

	/**
	 * Returns the UTF-8 bytes of a string.
	 * @param text the string
	 * @return the encoded string
	 */
	public static Bytes of(String text) {
		return wrap(text.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Returns a copy of an array's content.
	 * @param array the array to copy
	 * @return the copied bytes
	 */
	public static Bytes copyOf(byte[] array) {
		return wrap(array.clone());
	}

	/**
	 * Returns the bytes of an array without copying it. The caller must not change the
	 * array afterward.
	 * @param array the array to wrap
	 * @return the array's bytes
	 */
	public static Bytes wrap(byte[] array) {
		return (array.length == 0) ? EMPTY : new Bytes(array, 0, array.length);
	}

	/**
	 * Parses hexadecimal digits in upper or lower case.
	 * @param hex the digits, two per byte
	 * @return the bytes
	 * @throws IllegalArgumentException if the number of digits is odd, or a character is
	 * not a hexadecimal digit
	 */
	public static Bytes ofHex(String hex) {
		return wrap(HEX.parseHex(hex));
	}

	/**
	 * Returns the number of bytes.
	 * @return the length, 0 or more
	 */
	public int length() {
		return this.length;
	}

	/**
	 * Returns whether there are no bytes.
	 * @return whether the length is 0
	 */
	public boolean isEmpty() {
		return this.length == 0;
	}

	/**
	 * Returns the byte at an index.
	 * @param index the index, from 0
	 * @return the byte, -128 to 127
	 * @throws IndexOutOfBoundsException if the index is negative or not less than the
	 * length
	 */
	public byte at(int index) {
		return this.array[this.offset + Objects.checkIndex(index, this.length)];
	}

	/**
	 * Returns part of these bytes without copying it. The slice keeps the entire
	 * underlying array in memory.
	 * @param from the index of the first byte
	 * @param to the index after the last byte
	 * @return the bytes in the range
	 * @throws IndexOutOfBoundsException if the range is not within these bytes
	 */
	public Bytes slice(int from, int to) {
		Objects.checkFromToIndex(from, to, this.length);
		return (from == to) ? EMPTY : new Bytes(this.array, this.offset + from, to - from);
	}

	/**
	 * Returns these bytes in an array of exactly their length, so that storing the result
	 * does not keep the original message in memory.
	 * @return the same bytes, copied if this is a slice
	 */
	public Bytes compact() {
		return (this.array.length == this.length) ? this : wrap(toArray());
	}

	/**
	 * Returns a copy of these bytes.
	 * @return a new array
	 */
	public byte[] toArray() {
		return Arrays.copyOfRange(this.array, this.offset, this.offset + this.length);
	}

	/**
	 * Returns a read-only view of these bytes.
	 * @return a buffer over these bytes
	 */
	public ByteBuffer toByteBuffer() {
		return ByteBuffer.wrap(this.array, this.offset, this.length).slice().asReadOnlyBuffer();
	}

	/**
	 * Copies these bytes into an array.
	 * @param target the array to copy to
	 * @param position the index in the array for the first byte
	 * @throws IndexOutOfBoundsException if the array is too short
	 */
	public void copyTo(byte[] target, int position) {
		System.arraycopy(this.array, this.offset, target, position, this.length);
	}

	/**
	 * Decodes these bytes as UTF-8. Malformed input becomes the replacement character.
	 * @return the decoded string
	 */
	public String toUtf8() {
		return new String(this.array, this.offset, this.length, StandardCharsets.UTF_8);
	}

	/**
	 * Returns these bytes as uppercase hexadecimal digits, two per byte.
	 * @return the digits
	 */
	public String toHex() {
		return HEX.formatHex(this.array, this.offset, this.offset + this.length);
	}

	@Override
	public int compareTo(Bytes other) {
		return Arrays.compareUnsigned(this.array, this.offset, this.offset + this.length, other.array, other.offset,
				other.offset + other.length);
	}

	@Override
	public boolean equals(@Nullable Object object) {
		return object == this || (object instanceof Bytes other && this.length == other.length
				&& Arrays.equals(this.array, this.offset, this.offset + this.length, other.array, other.offset,
						other.offset + other.length));
	}

	/**
	 * Returns whether an array contains the same bytes.
	 * @param array the array to compare with
	 * @return whether all bytes are equal
	 */
	public boolean contentEquals(byte[] array) {
		return Arrays.equals(this.array, this.offset, this.offset + this.length, array, 0, array.length);
	}

	@Override
	public int hashCode() {
		int result = this.hash;
		if (result == 0) {
			result = computeHash();
			this.hash = result;
		}
		return result;
	}

	/**
	 * Multiplies data with secrets in pairs and folds the products. With
	 * {@link Arrays#hashCode(byte[])}, counters and keys with a common prefix would have
	 * few distinct hash values.
	 */
	private int computeHash() {
		int end = this.offset + this.length;
		int position = this.offset;
		long result = this.length;
		for (; position <= end - Long.BYTES; position += Long.BYTES) {
			result = fold((long) LONGS.get(this.array, position) ^ SECRET, result ^ OTHER_SECRET);
		}
		long rest = 0;
		for (; position < end; position++) {
			rest = rest << Byte.SIZE | (this.array[position] & 0xFF);
		}
		result = fold(rest ^ SECRET, result ^ OTHER_SECRET);
		return (int) (result ^ result >>> Integer.SIZE);
	}

	/** Returns the exclusive or of a 128-bit product's halves. */
	private static long fold(long first, long second) {
		return Math.multiplyHigh(first, second) ^ (first * second);
	}

	@Override
	public String toString() {
		return "Bytes[" + this.length + "]";
	}

}
