package io.statestore.dafka.reading.internal;

import java.util.Arrays;

import io.statestore.dafka.Bytes;

/**
 * Reader of the fields of a header. After the first malformed field, all further fields
 * are empty, and the header is invalid.
 */
final class FieldReader {

	private static final int MAX_NAME_LENGTH = 255;

	private final byte[] array;

	private int position;

	private boolean valid = true;

	FieldReader(byte[] array) {
		this.array = array;
	}

	boolean isValid() {
		return this.valid;
	}

	boolean isCompleteAndValid() {
		return this.valid && this.position == this.array.length;
	}

	int remaining() {
		return this.array.length - this.position;
	}

	/** Invalidates the header if a condition is not met. */
	void require(boolean condition) {
		this.valid &= condition;
	}

	int u8() {
		return (int) number(1);
	}

	long u32() {
		return number(Integer.BYTES);
	}

	long sequence() {
		long sequence = number(Long.BYTES);
		require(sequence >= 0 && sequence < Command.MAX_SEQUENCE);
		return sequence;
	}

	/** Reads a name of 1 to 255 bytes and the NUL after it. */
	Bytes untilNul() {
		int end = this.position;
		while (end < this.array.length && this.array[end] != 0) {
			end++;
		}
		Bytes name = name(end - this.position);
		u8();
		return name;
	}

	/** Reads a string with a length of one byte. */
	Bytes string() {
		return name(u8());
	}

	/** Reads a string with a length of four bytes, which may be empty. */
	Bytes longString() {
		long length = u32();
		return (length > 0) ? name(length) : Bytes.EMPTY;
	}

	/** Reads a string, which must repeat an earlier one. */
	Bytes same(Bytes expected) {
		require(string().equals(expected));
		return expected;
	}

	private Bytes name(long length) {
		require(length >= 1 && length <= MAX_NAME_LENGTH && length <= remaining());
		if (!this.valid) {
			return Bytes.EMPTY;
		}
		int start = this.position;
		this.position += (int) length;
		for (int i = start; i < this.position; i++) {
			require(this.array[i] != 0);
		}
		return Bytes.wrap(Arrays.copyOfRange(this.array, start, this.position));
	}

	private long number(int bytes) {
		require(remaining() >= bytes);
		if (!this.valid) {
			return 0;
		}
		long number = 0;
		for (int i = 0; i < bytes; i++) {
			number = number << Byte.SIZE | (this.array[this.position++] & 0xFF);
		}
		return number;
	}

}
