package io.statestore.history;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import io.statestore.dafka.Position;
import io.statestore.history.HistoryChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Encoding of changes, which docs/history.md describes. */
final class ChangeCodec {

	static final byte FORMAT = 1;

	/** Node id of all versions. The encoding omits it, because it is always the same. */
	private static final String NODE_ID = "StateStore";

	/** Size of the fields with a fixed length, in bytes. */
	private static final int FIXED = 2 + Long.BYTES + Integer.BYTES + Short.BYTES + Integer.BYTES;

	private static final int MAX_CLIENT_ID = 0xFFFF;

	private ChangeCodec() {
	}

	/**
	 * Encodes a change.
	 * @throws IllegalArgumentException if the client id is too long
	 */
	static byte[] encode(Operation operation, Bytes key, Bytes value, Version version, @Nullable String clientId) {
		byte[] client = (clientId != null) ? clientId.getBytes(StandardCharsets.UTF_8) : new byte[0];
		if (client.length > MAX_CLIENT_ID) {
			throw new IllegalArgumentException(
					"'clientId' has " + client.length + " bytes but must have at most " + MAX_CLIENT_ID);
		}
		ByteBuffer buffer = ByteBuffer.allocate(FIXED + client.length + key.length() + value.length());
		buffer.put(FORMAT).put((byte) operation.ordinal());
		buffer.putLong(version.wallMillis()).putInt(version.counter());
		buffer.putShort((short) client.length).put(client);
		buffer.putInt(key.length()).put(key.toByteBuffer()).put(value.toByteBuffer());
		return buffer.array();
	}

	/**
	 * Decodes a change.
	 * @throws HistoryException if the record is not a change in a known format
	 */
	static HistoryChange decode(Position position, byte[] content) {
		ByteBuffer buffer = ByteBuffer.wrap(content);
		try {
			byte format = buffer.get();
			if (format != FORMAT) {
				throw malformed(position, "its format is " + (format & 0xFF) + ", but this version of the library only"
						+ " supports " + FORMAT + ". Use a newer version");
			}
			byte operation = buffer.get();
			if (operation < 0 || operation >= Operation.values().length) {
				throw malformed(position, "its operation is " + (operation & 0xFF));
			}
			return decode(position, Operation.values()[operation], buffer);
		}
		catch (BufferUnderflowException ex) {
			throw malformed(position, "it is too short");
		}
	}

	private static HistoryChange decode(Position position, Operation operation, ByteBuffer buffer) {
		Version version = version(position, buffer.getLong(), buffer.getInt());
		String clientId = text(position, take(buffer, Short.toUnsignedInt(buffer.getShort())));
		Bytes key = take(buffer, buffer.getInt());
		Bytes value = take(buffer, buffer.remaining());
		if (key.isEmpty() != (operation == Operation.START)) {
			throw malformed(position, "the key of a " + operation + " has " + key.length() + " bytes");
		}
		if (!value.isEmpty() && operation != Operation.SET) {
			throw malformed(position, "a " + operation + " has a value");
		}
		if (clientId != null && (operation == Operation.START || operation == Operation.EXPIRE)) {
			throw malformed(position, "a " + operation + " has a client");
		}
		return new HistoryChange(position, operation, key, value, version, clientId);
	}

	private static Version version(Position position, long wallMillis, int counter) {
		try {
			return new Version(wallMillis, counter, NODE_ID);
		}
		catch (IllegalArgumentException ex) {
			throw malformed(position, "its version is " + wallMillis + ':' + counter);
		}
	}

	private static Bytes take(ByteBuffer buffer, int length) {
		if (length < 0 || length > buffer.remaining()) {
			throw new BufferUnderflowException();
		}
		byte[] bytes = new byte[length];
		buffer.get(bytes);
		return Bytes.wrap(bytes);
	}

	private static @Nullable String text(Position position, Bytes bytes) {
		try {
			return bytes.isEmpty() ? null : StandardCharsets.UTF_8.newDecoder().decode(bytes.toByteBuffer()).toString();
		}
		catch (CharacterCodingException ex) {
			throw malformed(position, "its client id is not UTF-8");
		}
	}

	private static HistoryException malformed(Position position, String why) {
		return new HistoryException("The record at offset " + position.offset() + " of '" + position.topic() + "' / "
				+ position.partition() + " is not a change of a state store: " + why);
	}

}
