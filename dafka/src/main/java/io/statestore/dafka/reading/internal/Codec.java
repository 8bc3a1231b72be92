package io.statestore.dafka.reading.internal;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes commands. Accepts only version 1 commands with exact lengths. Does
 * not throw exceptions for malformed bytes.
 */
final class Codec {

	/** Initial buffer size: enough for any command whose fields have limited lengths. */
	private static final int MAX_LENGTH = 1_024;

	static final byte RECORD = 'M';

	static final byte DIRECT_RECORD = 'D';

	static final byte FETCH = 'F';

	static final byte ACK = 'K';

	static final byte HEAD = 'H';

	static final byte DIRECT_HEAD = 'E';

	static final byte GET_HEADS = 'G';

	static final byte CONSUMER_HELLO = 'W';

	static final byte STORE_HELLO = 'L';

	/** ID of {@link Command.EndOfHeads}, an extension of RFC 46. */
	static final byte END_OF_HEADS = 'T';

	static final byte VERSION = 1;

	private static final int MAX_NAME_LENGTH = 255;

	private final ByteBuffer buffer;

	private Codec(int size, byte id, Bytes topic, Bytes... names) {
		this.buffer = ByteBuffer.allocate(size).put(id).put(topic.unwrap()).put((byte) 0).put(VERSION);
		for (Bytes name : names) {
			this.buffer.put((byte) name.size()).put(name.unwrap());
		}
	}

	static byte[] header(Command command) {
		if (command instanceof Command.Record record) {
			return Command.record(record.address(), record.subject()).at(record.sequence());
		}
		if (command instanceof Command.DirectRecord record) {
			return Command.directRecord(record.recipient(), record.address(), record.subject()).at(record.sequence());
		}
		if (command instanceof Command.Fetch fetch) {
			Codec out = new Codec(MAX_LENGTH, FETCH, fetch.address(), fetch.sender(), fetch.subject());
			out.buffer.putLong(fetch.sequence()).putInt((int) fetch.count());
			return out.end();
		}
		if (command instanceof Command.Ack ack) {
			return sequenced(ACK, ack.address(), ack.subject()).at(ack.sequence());
		}
		if (command instanceof Command.Head head) {
			return sequenced(HEAD, head.subject(), head.address(), head.subject()).at(head.sequence());
		}
		if (command instanceof Command.DirectHead head) {
			return sequenced(DIRECT_HEAD, head.recipient(), head.address(), head.subject()).at(head.sequence());
		}
		if (command instanceof Command.EndOfHeads end) {
			return sequenced(END_OF_HEADS, end.recipient(), end.address(), end.subject()).at(end.count());
		}
		if (command instanceof Command.GetHeads get) {
			return new Codec(MAX_LENGTH, GET_HEADS, get.subject(), get.sender()).end();
		}
		if (command instanceof Command.StoreHello hello) {
			return new Codec(MAX_LENGTH, STORE_HELLO, hello.recipient(), hello.sender()).end();
		}
		return consumerHello((Command.ConsumerHello) command);
	}

	static Command.Headers sequenced(byte id, Bytes topic, Bytes... names) {
		Codec out = new Codec(MAX_LENGTH, id, topic, names);
		out.buffer.putLong(0);
		return new Command.Headers(out.end());
	}

	private static byte[] consumerHello(Command.ConsumerHello hello) {
		int length = hello.subjects().stream().mapToInt((subject) -> Integer.BYTES + subject.size()).sum();
		Codec out = new Codec(MAX_LENGTH + length, CONSUMER_HELLO, hello.recipient(), hello.sender());
		out.buffer.putInt(hello.subjects().size());
		hello.subjects().forEach((subject) -> out.buffer.putInt(subject.size()).put(subject.unwrap()));
		return out.end();
	}

	private byte[] end() {
		return Arrays.copyOf(this.buffer.array(), this.buffer.position());
	}

	/**
	 * Decodes a message.
	 * @param header first frame
	 * @param content second frame, or {@code null} if there is none
	 * @return the command, or {@code null} if the message is malformed
	 */
	static @Nullable Command decode(byte[] header, byte @Nullable [] content) {
		try {
			ByteBuffer in = ByteBuffer.wrap(header);
			int id = in.get();
			require((id == RECORD || id == DIRECT_RECORD) == (content != null));
			Bytes topic = untilNul(in);
			require(in.get() == VERSION);
			Command command = fields(in, id, topic, (content != null) ? Bytes.wrap(content) : Bytes.EMPTY);
			return in.hasRemaining() ? null : command;
		}
		catch (BufferUnderflowException | IllegalArgumentException ex) {
			return null;
		}
	}

	private static @Nullable Command fields(ByteBuffer in, int id, Bytes topic, Bytes content) {
		return switch (id) {
			case RECORD -> new Command.Record(string(in), same(in, topic), sequence(in), content);
			case DIRECT_RECORD -> new Command.DirectRecord(topic, string(in), string(in), sequence(in), content);
			case FETCH ->
				new Command.Fetch(topic, string(in), string(in), sequence(in), Integer.toUnsignedLong(in.getInt()));
			case ACK -> ack(in, topic);
			case HEAD -> new Command.Head(string(in), same(in, topic), sequence(in));
			case DIRECT_HEAD -> new Command.DirectHead(topic, string(in), string(in), sequence(in));
			case END_OF_HEADS -> new Command.EndOfHeads(topic, string(in), string(in), sequence(in));
			case GET_HEADS -> new Command.GetHeads(topic, string(in));
			case CONSUMER_HELLO -> new Command.ConsumerHello(topic, string(in), topics(in));
			case STORE_HELLO -> new Command.StoreHello(topic, string(in));
			default -> null;
		};
	}

	/**
	 * Decodes an ACK. RFC 46's grammar includes the store's address, but the reference
	 * implementation omits it.
	 */
	private static Command ack(ByteBuffer in, Bytes topic) {
		Bytes first = string(in);
		Bytes subject = (in.remaining() == Long.BYTES) ? first : string(in);
		return new Command.Ack(topic, subject, sequence(in));
	}

	/** Reads possibly empty strings, each with a four-byte length prefix. */
	private static List<Bytes> topics(ByteBuffer in) {
		List<Bytes> topics = new ArrayList<>();
		for (long left = Integer.toUnsignedLong(in.getInt()); left > 0; left--) {
			int length = in.getInt();
			topics.add((length != 0) ? name(in, length) : Bytes.EMPTY);
		}
		return topics;
	}

	private static void require(boolean valid) {
		if (!valid) {
			throw new IllegalArgumentException();
		}
	}

	private static long sequence(ByteBuffer in) {
		long sequence = in.getLong();
		require(sequence >= 0 && sequence < Command.MAX_SEQUENCE);
		return sequence;
	}

	/** Reads a name of 1 to 255 bytes and the NUL that ends it. */
	private static Bytes untilNul(ByteBuffer in) {
		ByteBuffer end = in.duplicate();
		while (end.get() != 0) {
			// This NUL is part of the name.
		}
		Bytes name = name(in, end.position() - 1 - in.position());
		in.get();
		return name;
	}

	/** Reads a string with a one-byte length prefix. */
	private static Bytes string(ByteBuffer in) {
		return name(in, Byte.toUnsignedInt(in.get()));
	}

	/** Reads a string, which must equal an expected string. */
	private static Bytes same(ByteBuffer in, Bytes expected) {
		require(string(in).equals(expected));
		return expected;
	}

	private static Bytes name(ByteBuffer in, int length) {
		require(length >= 1 && length <= MAX_NAME_LENGTH);
		byte[] name = new byte[length];
		in.get(name);
		for (byte each : name) {
			require(each != 0);
		}
		return Bytes.wrap(name);
	}

}
