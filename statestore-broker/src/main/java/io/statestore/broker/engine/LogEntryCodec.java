package io.statestore.broker.engine;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import io.statestore.broker.codec.Decoder;
import io.statestore.broker.codec.Encoder;
import io.statestore.broker.codec.StateFormatException;
import io.statestore.broker.session.SessionChangeCodec;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes entries of the command log. The encoding begins with one byte for
 * the format, one byte for the type, and two bytes of flags. Most flags indicate that an
 * optional field is present. The log time, the system clock, and the type's fields
 * follow.
 */
public final class LogEntryCodec {

	/** Latest format. All earlier formats are subsets of it. */
	public static final int FORMAT = 6;

	private static final String WHAT = "log entry";

	private static final int SET = 1;

	private static final int DEL = 2;

	private static final int VDEL = 3;

	private static final int EXPIRE = 4;

	private static final int START = 5;

	private static final int ISSUE = 6;

	private static final int SESSION = 7;

	private static final int INCREMENT = 8;

	private static final int SEEN = 1;

	private static final int TIMESTAMP = 1 << 1;

	private static final int FENCING_TOKEN = 1 << 2;

	private static final int MESSAGE_EXPIRY = 1 << 3;

	private static final int PERSISTENT = 1 << 4;

	private static final int PRINCIPAL = 1 << 5;

	private static final int EXPIRY = 1 << 7;

	private static final int IF_ABSENT = 1 << 8;

	private static final int IF_ABSENT_OR_EQUAL = 1 << 9;

	private static final int IF_VERSION = IF_ABSENT | IF_ABSENT_OR_EQUAL;

	private static final int AFTER = 1 << 10;

	private static final int KEEP_VOLATILE = 1 << 11;

	// Earlier versions used bit 12 as a marker in their change journal.

	private static final int KEYS_PER_PRINCIPAL = 1 << 13;

	private static final int EXPECTED = 1 << 14;

	private static final int SESSION_LIMITS = 1 << 15;

	/** Space for format, type, flags, clocks, and short fields, in bytes. */
	private static final int OVERHEAD = 64;

	private LogEntryCodec() {
	}

	/**
	 * Encodes an entry.
	 * @param entry the entry, whose strings must be well-formed Unicode
	 * @return a new array
	 */
	public static byte[] encode(LogEntry entry) {
		if (entry instanceof LogEntry.Write write) {
			return encode(write);
		}
		if (entry instanceof LogEntry.Expire expire) {
			Encoder encoder = begin(expire, EXPIRE, 0, OVERHEAD * (1 + expire.keys().size()));
			encoder.writeNumber(expire.keys().size());
			expire.keys().forEach(encoder::writeBytes);
			return encoder.toArray();
		}
		if (entry instanceof LogEntry.Start start) {
			Version after = start.after();
			Quota quota = start.quota();
			Encoder encoder = begin(start, START, flag(AFTER, after != null) | flag(KEEP_VOLATILE, start.keepVolatile())
					| KEYS_PER_PRINCIPAL | SESSION_LIMITS, OVERHEAD);
			encoder.writeLong(start.seed())
				.writeNumber(quota.maxKeys())
				.writeNumber(quota.maxBytes())
				.writeNumber(start.replyMemory())
				.writeNumber(start.maxLostMillis());
			if (after != null) {
				encoder.writeVersion(after);
			}
			return encoder.writeNumber(quota.maxKeysPerUser())
				.writeNumber(quota.sessionMemory())
				.writeNumber(quota.memoryPerSession())
				.toArray();
		}
		if (entry instanceof LogEntry.Session session) {
			Encoder encoder = begin(session, SESSION, 0, 4 * OVERHEAD);
			SessionChangeCodec.encode(session.change(), encoder);
			return encoder.toArray();
		}
		return begin(entry, ISSUE, 0, OVERHEAD).toArray();
	}

	private static byte[] encode(LogEntry.Write write) {
		Command.Write command = write.command();
		String timestamp = write.timestamp();
		String token = write.fencingToken();
		Duration messageExpiry = write.messageExpiry();
		String principal = write.requester().principal();
		Duration expiry = (command instanceof Command.Set set) ? set.expiry()
				: (command instanceof Command.Increment increment) ? increment.expiry() : null;
		Bytes expected = (command instanceof Command.Set set) ? set.expected() : null;
		int flags = flag(TIMESTAMP, timestamp != null) | flag(FENCING_TOKEN, token != null)
				| flag(MESSAGE_EXPIRY, messageExpiry != null) | flag(PERSISTENT, write.persistent())
				| flag(PRINCIPAL, principal != null) | flag(EXPIRY, expiry != null) | flag(EXPECTED, expected != null)
				| conditionFlag(command);
		Encoder encoder = begin(write, type(command), flags,
				(int) Math.min(Integer.MAX_VALUE - 1, 3 * OVERHEAD + command.length()));
		encoder.writeString(write.requester().clientId()).writeBytes(write.correlationData()).writeInt(write.digest());
		if (timestamp != null) {
			encoder.writeString(timestamp);
		}
		if (token != null) {
			encoder.writeString(token);
		}
		if (messageExpiry != null) {
			encoder.writeDuration(messageExpiry);
		}
		if (principal != null) {
			encoder.writeString(principal);
		}
		encoder.writeBytes(command.key());
		if (command instanceof Command.Set set) {
			encoder.writeBytes(set.value());
		}
		else if (command instanceof Command.VDel vdel) {
			encoder.writeBytes(vdel.value());
		}
		else if (command instanceof Command.Increment increment) {
			encoder.writeLong(increment.delta());
		}
		if (expiry != null) {
			encoder.writeDuration(expiry);
		}
		if (expected != null) {
			encoder.writeBytes(expected);
		}
		return encoder.toArray();
	}

	private static Encoder begin(LogEntry entry, int type, int flags, int capacity) {
		Version seen = entry.seen();
		int allFlags = flags | flag(SEEN, seen != null);
		Encoder encoder = new Encoder(capacity).writeByte(FORMAT)
			.writeByte(type)
			.writeByte(allFlags >>> Byte.SIZE)
			.writeByte(allFlags)
			.writeLong(entry.logTime())
			.writeLong(entry.wallMillis());
		return (seen != null) ? encoder.writeVersion(seen) : encoder;
	}

	private static int flag(int flag, boolean set) {
		return set ? flag : 0;
	}

	private static int type(Command.Write command) {
		if (command instanceof Command.Set) {
			return SET;
		}
		if (command instanceof Command.Increment) {
			return INCREMENT;
		}
		return (command instanceof Command.Del) ? DEL : VDEL;
	}

	private static int conditionFlag(Command.Write command) {
		if (!(command instanceof Command.Set set)) {
			return 0;
		}
		return switch (set.condition()) {
			case ALWAYS -> 0;
			case IF_ABSENT -> IF_ABSENT;
			case IF_ABSENT_OR_EQUAL -> IF_ABSENT_OR_EQUAL;
			case IF_VERSION -> IF_VERSION;
		};
	}

	/**
	 * Decodes an entry. Copies the bytes, so the buffer may be changed afterward.
	 * @param buffer the encoded entry, from the position to the limit; fully read
	 * afterward
	 * @return the entry
	 * @throws StateFormatException if the entry has a newer format, or is malformed
	 */
	public static LogEntry decode(ByteBuffer buffer) {
		return decode(buffer, UnaryOperator.identity());
	}

	/**
	 * Decodes an entry, see {@link #decode(ByteBuffer)}.
	 * @param buffer the encoded entry
	 * @param requesters returns the requester to use in place of an equal one
	 * @return the entry
	 * @throws StateFormatException if the entry has a newer format, or is malformed
	 */
	public static LogEntry decode(ByteBuffer buffer, UnaryOperator<Requester> requesters) {
		byte[] array = new byte[buffer.remaining()];
		buffer.get(array);
		Decoder decoder = new Decoder(array, WHAT);
		decoder.readFormat(FORMAT);
		LogEntry entry = decode(decoder, requesters);
		if (!decoder.isAtEnd()) {
			throw decoder.malformed("bytes follow it");
		}
		return entry;
	}

	/**
	 * Returns whether an entry is a write.
	 * @param entry the encoded entry, whose position does not change
	 * @return whether it is a {@link LogEntry.Write}
	 */
	public static boolean isWrite(ByteBuffer entry) {
		int type = (entry.remaining() > 1) ? entry.get(entry.position() + 1) : 0;
		return type == SET || type == DEL || type == VDEL || type == INCREMENT;
	}

	private static LogEntry decode(Decoder decoder, UnaryOperator<Requester> requesters) {
		int type = decoder.readByte();
		int flags = decoder.readByte() << Byte.SIZE | decoder.readByte();
		long logTime = decoder.readLong();
		long wallMillis = decoder.readLong();
		Version seen = isSet(flags, SEEN) ? decoder.readVersion() : null;
		return switch (type) {
			case SET, DEL, VDEL, INCREMENT -> decodeWrite(decoder, requesters, type, flags, logTime, wallMillis, seen);
			case EXPIRE -> new LogEntry.Expire(logTime, wallMillis, seen, decodeKeys(decoder));
			case START -> decodeStart(decoder, flags, logTime, wallMillis, seen);
			case ISSUE -> new LogEntry.Issue(logTime, wallMillis, seen);
			case SESSION -> new LogEntry.Session(logTime, wallMillis, seen, SessionChangeCodec.decode(decoder));
			default -> throw decoder.malformed("its type is " + type);
		};
	}

	private static LogEntry decodeWrite(Decoder decoder, UnaryOperator<Requester> requesters, int type, int flags,
			long logTime, long wallMillis, @Nullable Version seen) {
		String clientId = decoder.readString();
		Bytes correlationData = decoder.readBytes();
		int digest = decoder.readInt();
		String timestamp = isSet(flags, TIMESTAMP) ? decoder.readString() : null;
		String token = isSet(flags, FENCING_TOKEN) ? decoder.readString() : null;
		Duration messageExpiry = isSet(flags, MESSAGE_EXPIRY) ? decoder.readDuration() : null;
		String principal = isSet(flags, PRINCIPAL) ? decoder.readString() : null;
		if (principal != null && principal.isEmpty()) {
			throw decoder.malformed("the name of its principal is empty");
		}
		Requester requester = requesters.apply(new Requester(principal, clientId));
		Bytes key = decoder.readBytes();
		Command.Write command = switch (type) {
			case SET -> new Command.Set(key, decoder.readBytes(), condition(decoder, flags),
					isSet(flags, EXPIRY) ? decoder.readDuration() : null,
					isSet(flags, EXPECTED) ? decoder.readBytes() : null);
			case VDEL -> new Command.VDel(key, decoder.readBytes());
			case INCREMENT ->
				new Command.Increment(key, decoder.readLong(), isSet(flags, EXPIRY) ? decoder.readDuration() : null);
			default -> new Command.Del(key);
		};
		return new LogEntry.Write(logTime, wallMillis, seen, command, timestamp, token, requester, correlationData,
				digest, messageExpiry, isSet(flags, PERSISTENT));
	}

	private static Condition condition(Decoder decoder, int flags) {
		if ((flags & IF_VERSION) == IF_VERSION && !isSet(flags, EXPECTED)) {
			throw decoder.malformed("it has two conditions");
		}
		return switch (flags & IF_VERSION) {
			case 0 -> Condition.ALWAYS;
			case IF_ABSENT -> Condition.IF_ABSENT;
			case IF_ABSENT_OR_EQUAL -> Condition.IF_ABSENT_OR_EQUAL;
			default -> Condition.IF_VERSION;
		};
	}

	private static List<Bytes> decodeKeys(Decoder decoder) {
		int count = decoder.readInt(Integer.MAX_VALUE);
		List<Bytes> keys = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			keys.add(decoder.readBytes());
		}
		return keys;
	}

	private static LogEntry decodeStart(Decoder decoder, int flags, long logTime, long wallMillis,
			@Nullable Version seen) {
		long seed = decoder.readLong();
		long maxKeys = decoder.readNumber();
		long maxBytes = decoder.readNumber();
		long replyMemory = decoder.readNumber();
		long maxLostMillis = decoder.readNumber();
		Version after = isSet(flags, AFTER) ? decoder.readVersion() : null;
		long maxKeysPerUser = isSet(flags, KEYS_PER_PRINCIPAL) ? decoder.readNumber() : Long.MAX_VALUE;
		boolean sessionLimits = isSet(flags, SESSION_LIMITS);
		long sessionMemory = sessionLimits ? decoder.readNumber() : Long.MAX_VALUE;
		long memoryPerSession = sessionLimits ? decoder.readNumber() : Long.MAX_VALUE;
		try {
			Quota quota = new Quota(maxKeys, maxBytes, maxKeysPerUser, sessionMemory, memoryPerSession);
			return new LogEntry.Start(logTime, wallMillis, seen, seed, quota, replyMemory, after,
					isSet(flags, KEEP_VOLATILE), maxLostMillis);
		}
		catch (IllegalArgumentException ex) {
			throw decoder.malformed("a limit is out of range");
		}
	}

	private static boolean isSet(int flags, int flag) {
		return (flags & flag) != 0;
	}

}
