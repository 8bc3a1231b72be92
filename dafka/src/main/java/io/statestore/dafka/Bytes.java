package io.statestore.dafka;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Immutable byte sequence, such as the content of a record. Sequences with the same
 * content are equal. {@link #toString()} returns only the length, so that content isn't
 * logged by accident. Thread-safe.
 */
public final class Bytes {

	/** No bytes. */
	public static final Bytes EMPTY = new Bytes(new byte[0]);

	private final byte[] array;

	private int hash;

	private Bytes(byte[] array) {
		this.array = array;
	}

	/**
	 * Returns the UTF-8 encoding of a string.
	 * @param text the string, which may be empty
	 * @return a new sequence
	 */
	public static Bytes of(String text) {
		return wrap(text.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Returns a copy of an array.
	 * @param array the array, which the caller may modify afterward
	 * @return a new sequence
	 */
	public static Bytes copyOf(byte[] array) {
		return wrap(array.clone());
	}

	/**
	 * Wraps an array without copying it. The caller must not modify it afterward.
	 * @param array the array, now owned by the returned sequence
	 * @return a sequence backed by the array
	 */
	public static Bytes wrap(byte[] array) {
		return (array.length != 0) ? new Bytes(array) : EMPTY;
	}

	/**
	 * Returns the length of this sequence.
	 * @return number of bytes
	 */
	public int size() {
		return this.array.length;
	}

	/**
	 * Returns a copy of these bytes.
	 * @return a new array
	 */
	public byte[] toArray() {
		return this.array.clone();
	}

	/**
	 * Returns the array behind these bytes, without copying it. The caller must not
	 * modify it.
	 * @return the backing array, not a copy
	 */
	public byte[] unwrap() {
		return this.array;
	}

	/**
	 * Returns a view of these bytes, without copying them.
	 * @return a new read-only buffer
	 */
	public ByteBuffer toBuffer() {
		return ByteBuffer.wrap(this.array).asReadOnlyBuffer();
	}

	/**
	 * Decodes these bytes as UTF-8. Replaces malformed input with U+FFFD.
	 * @return the decoded string
	 */
	public String toText() {
		return new String(this.array, StandardCharsets.UTF_8);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || (other instanceof Bytes that && Arrays.equals(this.array, that.array));
	}

	@Override
	public int hashCode() {
		int result = this.hash;
		if (result == 0) {
			result = Arrays.hashCode(this.array);
			this.hash = result;
		}
		return result;
	}

	@Override
	public String toString() {
		return "Bytes[" + this.array.length + ']';
	}

}
