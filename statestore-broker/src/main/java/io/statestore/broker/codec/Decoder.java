package io.statestore.broker.codec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Reads data written by an {@link Encoder}, from a stream or an array. All methods throw
 * a {@link StateFormatException} if the input is malformed or ends early, and an
 * {@link UncheckedIOException} if it cannot be read.
 * <p>
 * Internal: not part of the API.
 */
public final class Decoder {

	/** Maximum length of an encoded number, in bytes. */
	public static final int MAX_NUMBER_LENGTH = 10;

	private static final int BUFFER = 1 << 16;

	private static final InputStream NOTHING = InputStream.nullInputStream();

	private final InputStream stream;

	private final String what;

	private final byte[] buffer;

	/** The input if it is an array, whose memory {@link #readBytes()} shares. */
	private final @Nullable Bytes shared;

	private int position;

	private int limit;

	/**
	 * Creates a decoder for a stream, which it may read ahead.
	 * @param stream the input
	 * @param what what the input is, for error messages
	 */
	public Decoder(InputStream stream, String what) {
		this.stream = stream;
		this.what = what;
		this.buffer = new byte[BUFFER];
		this.shared = null;
	}

	/**
	 * Creates a decoder for an array.
	 * @param array the input, which is not copied
	 * @param what what the input is, for error messages
	 */
	public Decoder(byte[] array, String what) {
		this.stream = NOTHING;
		this.what = what;
		this.buffer = array;
		this.shared = Bytes.wrap(array);
		this.limit = array.length;
	}

	/** Creates an exception for malformed input. */
	public StateFormatException malformed(String reason) {
		return new StateFormatException("Malformed " + this.what + ": " + reason
				+ ". Run 'java -jar statestore-server-exec.jar check --data-directory <directory>', and restore a backup if it "
				+ "reports damage");
	}

	/**
	 * Reads and checks the format.
	 * @param supported the latest supported format
	 */
	public int readFormat(int supported) {
		int format = readByte();
		if (format == 0) {
			throw malformed("its format is 0");
		}
		if (format > supported) {
			throw new StateFormatException("The format of a " + this.what + " is " + format
					+ ", but this version supports up to " + supported + ". Start a newer version of the broker");
		}
		return format;
	}

	/** Returns whether all input has been read. */
	public boolean isAtEnd() {
		return this.position == this.limit && fill() == 0;
	}

	public int readByte() {
		if (this.position == this.limit && fill() == 0) {
			throw malformed("it ends early");
		}
		return this.buffer[this.position++] & 0xFF;
	}

	public int readInt() {
		int result = 0;
		for (int i = 0; i < Integer.BYTES; i++) {
			result = result << Byte.SIZE | readByte();
		}
		return result;
	}

	public long readLong() {
		return (long) readInt() << Integer.SIZE | Integer.toUnsignedLong(readInt());
	}

	public long readNumber() {
		long result = 0;
		for (int shift = 0; shift < Long.SIZE; shift += 7) {
			int next = readByte();
			result |= (next & 0x7FL) << shift;
			if (next < 0x80) {
				return result;
			}
		}
		throw malformed("a number is too long");
	}

	/** Reads a number between 0 and a maximum. */
	public int readInt(int max) {
		long number = readNumber();
		if (number < 0 || number > max) {
			throw malformed("a number is out of range");
		}
		return (int) number;
	}

	/** Reads bytes into a new array. */
	public byte[] readArray() {
		int length = readInt(Integer.MAX_VALUE);
		if (length <= this.limit - this.position) {
			byte[] result = new byte[length];
			System.arraycopy(this.buffer, this.position, result, 0, length);
			this.position += length;
			return result;
		}
		return readLongArray(length);
	}

	private byte[] readLongArray(int length) {
		int buffered = this.limit - this.position;
		try {
			// The length may be wrong, so allocate no more than the input provides.
			byte[] rest = this.stream.readNBytes(length - buffered);
			if (rest.length < length - buffered) {
				throw malformed("it ends early");
			}
			byte[] result = new byte[length];
			System.arraycopy(this.buffer, this.position, result, 0, buffered);
			System.arraycopy(rest, 0, result, buffered, rest.length);
			this.position = this.limit;
			return result;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Reads bytes. If the input is an array, the result shares its memory. */
	public Bytes readBytes() {
		if (this.shared == null) {
			return Bytes.wrap(readArray());
		}
		int start = skip();
		return this.shared.slice(start, this.position);
	}

	public String readString() {
		if (this.shared == null) {
			return new String(readArray(), StandardCharsets.UTF_8);
		}
		int start = skip();
		return new String(this.buffer, start, this.position - start, StandardCharsets.UTF_8);
	}

	/** Skips bytes in the array and returns the index of the first skipped byte. */
	private int skip() {
		int length = readInt(Integer.MAX_VALUE);
		if (length > this.limit - this.position) {
			throw malformed("it ends early");
		}
		this.position += length;
		return this.position - length;
	}

	public Version readVersion() {
		try {
			return new Version(readNumber(), readInt(Integer.MAX_VALUE), readString());
		}
		catch (IllegalArgumentException ex) {
			throw malformed("a clock reading is out of range");
		}
	}

	/**
	 * Reads a version that was written without its node.
	 * @param nodeId node id of the version
	 * @return the version
	 */
	public Version readVersionOf(String nodeId) {
		try {
			return new Version(readNumber(), readInt(Integer.MAX_VALUE), nodeId);
		}
		catch (IllegalArgumentException ex) {
			throw malformed("a version is out of range");
		}
	}

	public Duration readDuration() {
		return Duration.ofSeconds(readNumber(), readInt(999_999_999));
	}

	private int fill() {
		try {
			this.position = 0;
			this.limit = Math.max(0, this.stream.read(this.buffer));
			return this.limit;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
