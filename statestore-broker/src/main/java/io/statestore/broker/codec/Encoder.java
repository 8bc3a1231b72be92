package io.statestore.broker.codec;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;

/**
 * Writes fields of entries and snapshots to a growing array.
 * <p>
 * Internal: not part of the API.
 */
public final class Encoder {

	private byte[] array;

	private int size;

	public Encoder(int capacity) {
		this.array = new byte[capacity];
	}

	public int size() {
		return this.size;
	}

	/** Returns a copy of the bytes written so far. */
	public byte[] toArray() {
		return Arrays.copyOf(this.array, this.size);
	}

	/**
	 * Removes all written bytes.
	 * @param capacity the maximum capacity to keep, in bytes
	 */
	public void clear(int capacity) {
		this.size = 0;
		if (this.array.length > capacity) {
			this.array = new byte[capacity];
		}
	}

	public Encoder writeByte(int value) {
		require(1);
		this.array[this.size++] = (byte) value;
		return this;
	}

	/** Writes four bytes, most significant first. */
	public Encoder writeInt(int value) {
		require(Integer.BYTES);
		for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
			this.array[this.size++] = (byte) (value >>> shift);
		}
		return this;
	}

	/** Writes eight bytes, most significant first. */
	public Encoder writeLong(long value) {
		return writeInt((int) (value >>> Integer.SIZE)).writeInt((int) value);
	}

	/** Writes a number with seven bits per byte, least significant first. */
	public Encoder writeNumber(long value) {
		require(Decoder.MAX_NUMBER_LENGTH);
		long rest = value;
		while ((rest & ~0x7F) != 0) {
			this.array[this.size++] = (byte) (rest | 0x80);
			rest >>>= 7;
		}
		this.array[this.size++] = (byte) rest;
		return this;
	}

	public Encoder writeBytes(Bytes bytes) {
		writeNumber(bytes.length());
		require(bytes.length());
		bytes.copyTo(this.array, this.size);
		this.size += bytes.length();
		return this;
	}

	public Encoder writeString(String text) {
		return writeBytes(Bytes.wrap(text.getBytes(StandardCharsets.UTF_8)));
	}

	public Encoder writeVersion(Version version) {
		return writeNumber(version.wallMillis()).writeNumber(version.counter()).writeString(version.nodeId());
	}

	public Encoder writeDuration(Duration duration) {
		return writeNumber(duration.getSeconds()).writeNumber(duration.getNano());
	}

	private void require(int length) {
		if (this.array.length - this.size < length) {
			this.array = Arrays.copyOf(this.array, Math.max(2 * this.array.length, this.size + length));
		}
	}

}
