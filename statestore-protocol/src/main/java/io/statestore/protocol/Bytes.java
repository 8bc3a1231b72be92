package io.statestore.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * An immutable sequence of bytes: a key, a value, correlation data. Equal by content,
 * ordered as unsigned bytes, safe to share between threads. A part of a larger message is
 * represented without copying it.
 * <p>
 * {@link #toString()} tells only the length, so that no value reaches a log by accident.
 */
public final class Bytes implements Comparable<Bytes> {

	/** No bytes. */
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

	/** The UTF-8 bytes of a text. */
	public static Bytes of(String text) {
		return wrap(text.getBytes(StandardCharsets.UTF_8));
	}

	/** A copy of the given array. */
	public static Bytes copyOf(byte[] array) {
		return wrap(array.clone());
	}

	/**
	 * The given array itself, not a copy: the caller gives it away and must not change it
	 * afterwards.
	 */
	public static Bytes wrap(byte[] array) {
		return (array.length == 0) ? EMPTY : new Bytes(array, 0, array.length);
	}

	/**
	 * The bytes that hexadecimal digits of either case stand for.
	 * @throws IllegalArgumentException if it is anything else, or half a byte is left
	 */
	public static Bytes ofHex(String hex) {
		return wrap(HEX.parseHex(hex));
	}

	/** Number of bytes. */
	public int length() {
		return this.length;
	}

	public boolean isEmpty() {
		return this.length == 0;
	}

	/** The byte at a position, counted from 0. */
	public byte at(int index) {
		return this.array[this.offset + Objects.checkIndex(index, this.length)];
	}

	/** A part of these bytes that shares their memory. */
	public Bytes slice(int from, int to) {
		Objects.checkFromToIndex(from, to, this.length);
		return (from == to) ? EMPTY : new Bytes(this.array, this.offset + from, to - from);
	}

	/**
	 * These bytes in memory of exactly their size, so that keeping them does not keep the
	 * message they came in.
	 */
	public Bytes compact() {
		return (this.array.length == this.length) ? this : wrap(toArray());
	}

	/** A new array with these bytes. */
	public byte[] toArray() {
		return Arrays.copyOfRange(this.array, this.offset, this.offset + this.length);
	}

	/** A read-only view of these bytes. */
	public ByteBuffer toByteBuffer() {
		return ByteBuffer.wrap(this.array, this.offset, this.length).slice().asReadOnlyBuffer();
	}

	/** Copy these bytes into a larger array. */
	public void copyTo(byte[] target, int position) {
		System.arraycopy(this.array, this.offset, target, position, this.length);
	}

	/** These bytes read as UTF-8; malformed input becomes the replacement character. */
	public String toUtf8() {
		return new String(this.array, this.offset, this.length, StandardCharsets.UTF_8);
	}

	/** Upper-case hexadecimal digits, two per byte. */
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

	/** Whether these are the bytes of an array. */
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
