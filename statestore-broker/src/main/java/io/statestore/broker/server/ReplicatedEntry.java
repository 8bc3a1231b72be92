package io.statestore.broker.server;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import io.statestore.broker.codec.StateFormatException;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.engine.Requester;

/**
 * Encodes entries of the replicated log. Each contains any number of command log entries:
 * one byte for the format, then each entry's length and encoding.
 */
final class ReplicatedEntry {

	private static final byte FIRST_FORMAT = 1;

	/** Latest format. Nodes that can read only the first format stop. */
	private static final byte FORMAT = 2;

	/** Size of the format byte. */
	static final int HEADER_BYTES = 1;

	private ReplicatedEntry() {
	}

	/** Returns the size that an entry takes in a replicated entry, in bytes. */
	static int size(byte[] entry) {
		return Integer.BYTES + entry.length;
	}

	/**
	 * Encodes entries.
	 * @param entries the encoded entries
	 */
	static ByteBuffer encode(List<byte[]> entries) {
		int bytes = HEADER_BYTES;
		for (byte[] entry : entries) {
			bytes += size(entry);
		}
		ByteBuffer buffer = ByteBuffer.allocate(bytes).put(FORMAT);
		for (byte[] entry : entries) {
			buffer.putInt(entry.length).put(entry);
		}
		return buffer.flip();
	}

	/**
	 * Decodes entries.
	 * @param buffer the encoding, whose position does not change
	 * @param requesters returns the requester to use in place of an equal requester
	 * @throws StateFormatException if the encoding has a newer format, or is malformed
	 */
	static List<LogEntry> decode(ByteBuffer buffer, UnaryOperator<Requester> requesters) {
		List<LogEntry> entries = new ArrayList<>();
		split(buffer).forEach((entry) -> entries.add(LogEntryCodec.decode(entry, requesters)));
		return entries;
	}

	/**
	 * Splits an encoding.
	 * @param buffer the encoding, whose position does not change
	 * @return the encoded entries, which share the buffer's memory
	 * @throws StateFormatException if the encoding has a newer format, or is malformed
	 */
	public static List<ByteBuffer> split(ByteBuffer buffer) {
		ByteBuffer rest = buffer.duplicate();
		byte format = rest.hasRemaining() ? rest.get() : 0;
		if (format < FIRST_FORMAT || format > FORMAT) {
			throw new StateFormatException("An entry of the replicated log has format " + format + ", but this node "
					+ "reads formats up to " + FORMAT + ". Run the same version on all nodes");
		}
		List<ByteBuffer> entries = new ArrayList<>();
		while (rest.hasRemaining()) {
			int length = (rest.remaining() >= Integer.BYTES) ? rest.getInt() : -1;
			if (length < 0 || length > rest.remaining()) {
				throw new StateFormatException(
						"An entry of the replicated log is malformed: it ends early. Replace " + "this node");
			}
			entries.add(rest.slice(rest.position(), length));
			rest.position(rest.position() + length);
		}
		return entries;
	}

}
