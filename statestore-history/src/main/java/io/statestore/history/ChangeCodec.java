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

	/** Format of changes after which the content of the store is known. */
	static final byte FORMAT = 1;

	/**
	 * Format of all records from a gap to the end of the content that follows. The last
	 * record of a history therefore shows whether that content is complete. Readers that
	 * do not know gaps refuse these records.
	 */
	static final byte GAP_FORMAT = 2;

	/**
	 * Added to the format of a record with a principal. Readers that do not know
	 * principals refuse these records, because they would show an author that was not
	 * verified.
	 */
	private static final byte WITH_PRINCIPAL = 2;

	private static final byte LATEST_FORMAT = GAP_FORMAT + WITH_PRINCIPAL;

	/** Node id of all versions. The encoding omits it, because it is always the same. */
	private static final String NODE_ID = "StateStore";

	private static final int VERSION = Long.BYTES + Integer.BYTES;

	/** Size of the fields with a fixed length, in bytes. */
	private static final int FIXED = 2 + VERSION + Short.BYTES + Integer.BYTES;

	private static final int MAX_NAME = 0xFFFF;

	private ChangeCodec() {
	}

	/**
	 * Encodes a change.
	 * @param afterGap whether the content of the store after a gap is incomplete
	 * @throws IllegalArgumentException if the client id or the principal is too long
	 */
	static byte[] encode(Operation operation, Bytes key, Bytes value, Version version, Version keyVersion,
			@Nullable String clientId, @Nullable String principal, boolean afterGap) {
		byte[] client = encode("clientId", clientId);
		byte[] user = encode("principal", principal);
		boolean withUser = user.length > 0;
		boolean present = operation == Operation.PRESENT;
		ByteBuffer buffer = ByteBuffer.allocate(FIXED + (present ? VERSION : 0)
				+ (withUser ? Short.BYTES + user.length : 0) + client.length + key.length() + value.length());
		buffer.put((byte) ((afterGap ? GAP_FORMAT : FORMAT) + (withUser ? WITH_PRINCIPAL : 0)))
			.put((byte) operation.ordinal());
		buffer.putLong(version.wallMillis()).putInt(version.counter());
		if (present) {
			buffer.putLong(keyVersion.wallMillis()).putInt(keyVersion.counter());
		}
		buffer.putShort((short) client.length).put(client);
		if (withUser) {
			buffer.putShort((short) user.length).put(user);
		}
		buffer.putInt(key.length()).put(key.toByteBuffer()).put(value.toByteBuffer());
		return buffer.array();
	}

	private static byte[] encode(String name, @Nullable String text) {
		byte[] bytes = (text != null) ? text.getBytes(StandardCharsets.UTF_8) : new byte[0];
		if (bytes.length > MAX_NAME) {
			throw new IllegalArgumentException(
					'\'' + name + "' has " + bytes.length + " bytes but must have at most " + MAX_NAME);
		}
		return bytes;
	}

	/**
	 * Decodes a change.
	 * @throws HistoryException if the record is not a change in a known format
	 */
	static HistoryChange decode(Position position, byte[] content) {
		ByteBuffer buffer = ByteBuffer.wrap(content);
		try {
			byte format = buffer.get();
			if (format < FORMAT || format > LATEST_FORMAT) {
				throw malformed(position, "its format is " + (format & 0xFF) + ", but this version of the library only"
						+ " supports " + FORMAT + " to " + LATEST_FORMAT + ". Use a newer version");
			}
			boolean withPrincipal = format > GAP_FORMAT;
			byte marks = (byte) (withPrincipal ? format - WITH_PRINCIPAL : format);
			return decode(position, operation(position, marks, buffer.get()), withPrincipal, buffer);
		}
		catch (BufferUnderflowException ex) {
			throw malformed(position, "it is too short");
		}
	}

	/** Returns whether the content of the store is incomplete after a record. */
	static boolean isAfterGap(byte[] content) {
		return content.length > 1 && (content[0] == GAP_FORMAT || content[0] == GAP_FORMAT + WITH_PRINCIPAL)
				&& content[1] != Operation.COMPLETE.ordinal();
	}

	private static Operation operation(Position position, byte format, byte code) {
		if (code < 0 || code >= Operation.values().length) {
			throw malformed(position, "its operation is " + (code & 0xFF));
		}
		Operation operation = Operation.values()[code];
		boolean possible = switch (operation) {
			case START, CONTENT -> format == FORMAT;
			case SET, DELETE, EXPIRE, PRESENT, COMPLETE -> true;
			case GAP -> format == GAP_FORMAT;
		};
		if (!possible) {
			throw malformed(position, "a " + operation + " has format " + format);
		}
		return operation;
	}

	private static HistoryChange decode(Position position, Operation operation, boolean withPrincipal,
			ByteBuffer buffer) {
		Version version = version(position, buffer.getLong(), buffer.getInt());
		Version keyVersion = (operation == Operation.PRESENT) ? version(position, buffer.getLong(), buffer.getInt())
				: version;
		String clientId = text(position, take(buffer, Short.toUnsignedInt(buffer.getShort())));
		String principal = withPrincipal ? text(position, take(buffer, Short.toUnsignedInt(buffer.getShort()))) : null;
		if (withPrincipal && principal == null) {
			throw malformed(position, "the name of its principal is empty");
		}
		Bytes key = take(buffer, buffer.getInt());
		Bytes value = take(buffer, buffer.remaining());
		if (key.isEmpty() == hasKey(operation)) {
			throw malformed(position, "the key of a " + operation + " has " + key.length() + " bytes");
		}
		if (!value.isEmpty() && operation != Operation.SET && operation != Operation.PRESENT) {
			throw malformed(position, "a " + operation + " has a value");
		}
		if ((clientId != null || principal != null) && operation != Operation.SET && operation != Operation.DELETE) {
			throw malformed(position, "a " + operation + " has a client");
		}
		return new HistoryChange(position, operation, key, value, version, keyVersion, clientId, principal);
	}

	private static boolean hasKey(Operation operation) {
		return switch (operation) {
			case START, GAP, COMPLETE, CONTENT -> false;
			case SET, DELETE, EXPIRE, PRESENT -> true;
		};
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
			throw malformed(position, "its client id or principal is not UTF-8");
		}
	}

	private static HistoryException malformed(Position position, String why) {
		return new HistoryException("The record at offset " + position.offset() + " of '" + position.topic() + "' / "
				+ position.partition() + " is not a change of a state store: " + why);
	}

}
