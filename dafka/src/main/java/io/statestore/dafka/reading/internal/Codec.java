package io.statestore.dafka.reading.internal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Encoder and decoder of commands. Accepts only commands of version 1 with exact lengths.
 * Never throws an exception for malformed bytes.
 */
final class Codec {

	/** Larger than each command with fields of limited length. */
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

	/** Extension of RFC 46, see {@link Command.EndOfHeads}. */
	static final byte END_OF_HEADS = 'T';

	static final byte VERSION = 1;

	private final ByteBuffer buffer;

	private Codec(byte id, Bytes topic, int size) {
		this.buffer = ByteBuffer.allocate(size).put(id).put(topic.unwrap()).put((byte) 0).put(VERSION);
	}

	static byte[] header(Command command) {
		if (command instanceof Command.Record record) {
			return Command.record(record.address(), record.subject()).at(record.sequence());
		}
		if (command instanceof Command.DirectRecord record) {
			return Command.directRecord(record.recipient(), record.address(), record.subject()).at(record.sequence());
		}
		if (command instanceof Command.Fetch fetch) {
			Codec out = new Codec(FETCH, fetch.address(), MAX_LENGTH).put(fetch.sender()).put(fetch.subject());
			out.buffer.putLong(fetch.sequence()).putInt((int) fetch.count());
			return out.end();
		}
		if (command instanceof Command.Ack ack) {
			Codec out = new Codec(ACK, ack.address(), MAX_LENGTH).put(ack.subject());
			out.buffer.putLong(ack.sequence());
			return out.end();
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
			return new Codec(GET_HEADS, get.subject(), MAX_LENGTH).put(get.sender()).end();
		}
		if (command instanceof Command.StoreHello hello) {
			return new Codec(STORE_HELLO, hello.recipient(), MAX_LENGTH).put(hello.sender()).end();
		}
		return consumerHello((Command.ConsumerHello) command);
	}

	static Command.Headers sequenced(byte id, Bytes topic, Bytes address, Bytes subject) {
		int size = 5 + topic.size() + address.size() + subject.size() + Long.BYTES;
		Codec out = new Codec(id, topic, size).put(address).put(subject);
		out.buffer.putLong(0);
		return new Command.Headers(out.end());
	}

	private static byte[] consumerHello(Command.ConsumerHello hello) {
		int length = hello.subjects().stream().mapToInt((subject) -> Integer.BYTES + subject.size()).sum();
		Codec out = new Codec(CONSUMER_HELLO, hello.recipient(), MAX_LENGTH + length).put(hello.sender());
		out.buffer.putInt(hello.subjects().size());
		hello.subjects().forEach((subject) -> out.buffer.putInt(subject.size()).put(subject.unwrap()));
		return out.end();
	}

	private Codec put(Bytes bytes) {
		this.buffer.put((byte) bytes.size()).put(bytes.unwrap());
		return this;
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
		FieldReader in = new FieldReader(header);
		int id = in.u8();
		boolean carriesContent = id == RECORD || id == DIRECT_RECORD;
		if (carriesContent != (content != null)) {
			return null;
		}
		Bytes topic = in.untilNul();
		in.require(in.u8() == VERSION);
		Command command = fields(in, id, topic, (content != null) ? Bytes.wrap(content) : Bytes.EMPTY);
		return in.isCompleteAndValid() ? command : null;
	}

	private static @Nullable Command fields(FieldReader in, int id, Bytes topic, Bytes content) {
		return switch (id) {
			case RECORD -> new Command.Record(in.string(), in.same(topic), in.sequence(), content);
			case DIRECT_RECORD -> new Command.DirectRecord(topic, in.string(), in.string(), in.sequence(), content);
			case FETCH -> new Command.Fetch(topic, in.string(), in.string(), in.sequence(), in.u32());
			case ACK -> ack(in, topic);
			case HEAD -> new Command.Head(in.string(), in.same(topic), in.sequence());
			case DIRECT_HEAD -> new Command.DirectHead(topic, in.string(), in.string(), in.sequence());
			case END_OF_HEADS -> new Command.EndOfHeads(topic, in.string(), in.string(), in.sequence());
			case GET_HEADS -> new Command.GetHeads(topic, in.string());
			case CONSUMER_HELLO -> new Command.ConsumerHello(topic, in.string(), topics(in));
			case STORE_HELLO -> new Command.StoreHello(topic, in.string());
			default -> null;
		};
	}

	/**
	 * Decodes an ACK. The grammar of RFC 46 includes the address of the store, but the
	 * reference implementation omits it.
	 */
	private static Command ack(FieldReader in, Bytes topic) {
		Bytes first = in.string();
		Bytes subject = (in.remaining() == Long.BYTES) ? first : in.string();
		return new Command.Ack(topic, subject, in.sequence());
	}

	private static List<Bytes> topics(FieldReader in) {
		long count = in.u32();
		List<Bytes> topics = new ArrayList<>();
		for (long i = 0; i < count && in.isValid(); i++) {
			topics.add(in.longString());
		}
		return topics;
	}

	/**
	 * Reader of the fields of a header. After the first malformed field, all later fields
	 * are empty, and the header is invalid.
	 */
	private static final class FieldReader {

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

}
