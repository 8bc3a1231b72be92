package io.statestore.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Immutable sequence of bytes, such as a key, a value, or correlation data. Instances are
 * compared by content, as unsigned bytes. A {@linkplain #slice(int, int) slice} shares the
 * memory of the message it is part of. Thread-safe.
 * <p>
 * {@link #toString()} shows only the length, so that values do not reach logs by accident.
 */
public final class Bytes implements Comparable<Bytes> {

	/** An empty sequence. */
	public static final Bytes EMPTY = new Bytes(new byte[0], 0, 0);

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

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
	 * Returns the UTF-8 encoding of a text.
	 * @param text the text
	 * @return its bytes
	 */
	public static Bytes of(String text) {
		return wrap(text.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Returns a copy of an array.
	 * @param array the array
	 * @return its bytes
	 */
	public static Bytes copyOf(byte[] array) {
		return wrap(array.clone());
	}

	/**
	 * Wraps an array without copying it.
	 * @param array the array, which must not be changed afterwards
	 * @return its bytes
	 */
	public static Bytes wrap(byte[] array) {
		return (array.length == 0) ? EMPTY : new Bytes(array, 0, array.length);
	}

	/**
	 * Parses hexadecimal digits.
	 * @param hex an even number of digits of either case
	 * @return the bytes
	 * @throws IllegalArgumentException if the text has an odd length or other characters
	 */
	public static Bytes ofHex(String hex) {
		return wrap(HEX.parseHex(hex));
	}

	/**
	 * Returns the number of bytes.
	 * @return 0 or more
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
	 * Returns one byte.
	 * @param index position of the byte, from 0
	 * @return the byte
	 * @throws IndexOutOfBoundsException if there is no such byte
	 */
	public byte at(int index) {
		return this.array[this.offset + Objects.checkIndex(index, this.length)];
	}

	/**
	 * Returns a part of these bytes, which shares their memory.
	 * @param from position of the first byte
	 * @param to position after the last byte
	 * @return the part
	 * @throws IndexOutOfBoundsException if there is no such part
	 */
	public Bytes slice(int from, int to) {
		Objects.checkFromToIndex(from, to, this.length);
		return (from == to) ? EMPTY : new Bytes(this.array, this.offset + from, to - from);
	}

	/**
	 * Returns these bytes in an array of exactly their size, so that retaining them does
	 * not retain the message they are part of.
	 * @return these bytes, copied unless they already fill their array
	 */
	public Bytes compact() {
		return (this.array.length == this.length) ? this : wrap(toArray());
	}

	/**
	 * Copies these bytes into a new array.
	 * @return the array
	 */
	public byte[] toArray() {
		return Arrays.copyOfRange(this.array, this.offset, this.offset + this.length);
	}

	/**
	 * Returns a read-only view of these bytes.
	 * @return a buffer at position 0
	 */
	public ByteBuffer toByteBuffer() {
		return ByteBuffer.wrap(this.array, this.offset, this.length).slice().asReadOnlyBuffer();
	}

	/**
	 * Copies these bytes into an array.
	 * @param target the array
	 * @param position position of the first byte in the array
	 * @throws IndexOutOfBoundsException if the bytes do not fit
	 */
	public void copyTo(byte[] target, int position) {
		System.arraycopy(this.array, this.offset, target, position, this.length);
	}

	/**
	 * Decodes these bytes as UTF-8.
	 * @return the text, with replacement characters for malformed input
	 */
	public String toUtf8() {
		return new String(this.array, this.offset, this.length, StandardCharsets.UTF_8);
	}

	/**
	 * Returns these bytes as hexadecimal digits.
	 * @return upper-case digits, two per byte
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
	 * Returns whether an array has the same content.
	 * @param array the array
	 * @return whether the lengths and all bytes are equal
	 */
	public boolean contentEquals(byte[] array) {
		return Arrays.equals(this.array, this.offset, this.offset + this.length, array, 0, array.length);
	}

	@Override
	public int hashCode() {
		int result = this.hash;
		if (result == 0) {
			result = 1;
			for (int i = this.offset; i < this.offset + this.length; i++) {
				result = 31 * result + this.array[i];
			}
			this.hash = result;
		}
		return result;
	}

	@Override
	public String toString() {
		return "Bytes[" + this.length + "]";
	}

}
