package io.statestore.broker.engine;

import java.nio.ByteBuffer;

/**
 * Encodes and decodes entries of the command log. The format is versioned: the first byte
 * of an entry is its format.
 */
public final class LogEntryCodec {

	private LogEntryCodec() {
	}

	/**
	 * Encodes an entry.
	 * @param entry the entry, whose strings must be well-formed Unicode
	 * @return a new array
	 */
	public static byte[] encode(LogEntry entry) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Decodes an entry. Copies the bytes, so the buffer may be changed afterwards.
	 * @param buffer the encoded entry, from the position to the limit. Its position is at
	 * the limit afterwards
	 * @return the entry
	 * @throws StateFormatException if the entry has a newer format, or is malformed
	 */
	public static LogEntry decode(ByteBuffer buffer) {
		throw new UnsupportedOperationException();
	}

}
