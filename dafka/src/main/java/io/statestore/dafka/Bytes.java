package io.statestore.dafka;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * An immutable sequence of bytes, such as the content of a record. Equal by content, safe
 * to share between threads. {@link #toString()} tells only the length, so that no content
 * reaches a log by accident.
 */
public final class Bytes {

	/** No bytes. */
	public static final Bytes EMPTY = new Bytes(new byte[0]);

	private final byte[] array;

	private int hash;

	private Bytes(byte[] array) {
		this.array = array;
	}

	/** The UTF-8 bytes of a text. */
	public static Bytes of(String text) {
		return wrap(text.getBytes(StandardCharsets.UTF_8));
	}

	/** A copy of the given array. */
	public static Bytes copyOf(byte[] array) {
		return wrap(array.clone());
	}

	/** The given array itself, not a copy: the caller must not change it afterwards. */
	public static Bytes wrap(byte[] array) {
		return (array.length != 0) ? new Bytes(array) : EMPTY;
	}

	/** How many bytes these are. */
	public int size() {
		return this.array.length;
	}

	/** A copy as an array. */
	public byte[] toArray() {
		return this.array.clone();
	}

	/**
	 * Returns the array behind these bytes, without copying. Callers must not modify it.
	 * @return the array
	 */
	public byte[] unwrap() {
		return this.array;
	}

	/** A read-only view. */
	public ByteBuffer toBuffer() {
		return ByteBuffer.wrap(this.array).asReadOnlyBuffer();
	}

	/** The text that these bytes are in UTF-8; what is not UTF-8 is replaced. */
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
