package io.statestore.dafka.reading.internal;

import java.nio.ByteBuffer;

import io.statestore.dafka.Bytes;

/**
 * Encoder of header frames. The content of a record is a separate frame. Internal: not
 * part of the API.
 */
public final class Encoder {

	/** Number of bytes around a topic: id, NUL, and version. */
	private static final int FRAME = 3;

	private Encoder() {
	}

	/**
	 * Encodes a command.
	 * @param command the command
	 * @return the header frame
	 */
	public static byte[] header(Command command) {
		if (command instanceof Command.Record record) {
			return record(record.address(), record.subject()).at(record.sequence());
		}
		if (command instanceof Command.DirectRecord record) {
			return directRecord(record.recipient(), record.address(), record.subject()).at(record.sequence());
		}
		if (command instanceof Command.Fetch fetch) {
			ByteBuffer buffer = start(Ids.FETCH, fetch.address(),
					string(fetch.sender()) + string(fetch.subject()) + Long.BYTES + Integer.BYTES);
			put(buffer, fetch.sender());
			put(buffer, fetch.subject());
			return buffer.putLong(fetch.sequence()).putInt((int) fetch.count()).array();
		}
		if (command instanceof Command.Ack ack) {
			ByteBuffer buffer = start(Ids.ACK, ack.address(), string(ack.subject()) + Long.BYTES);
			put(buffer, ack.subject());
			return buffer.putLong(ack.sequence()).array();
		}
		if (command instanceof Command.Head head) {
			return sequenced(Ids.HEAD, head.subject(), head.address(), head.subject()).at(head.sequence());
		}
		if (command instanceof Command.DirectHead head) {
			return sequenced(Ids.DIRECT_HEAD, head.recipient(), head.address(), head.subject()).at(head.sequence());
		}
		if (command instanceof Command.EndOfHeads end) {
			return sequenced(Ids.END_OF_HEADS, end.recipient(), end.address(), end.subject()).at(end.count());
		}
		if (command instanceof Command.GetHeads get) {
			return addressed(Ids.GET_HEADS, get.subject(), get.sender());
		}
		if (command instanceof Command.StoreHello hello) {
			return addressed(Ids.STORE_HELLO, hello.recipient(), hello.sender());
		}
		return consumerHello((Command.ConsumerHello) command);
	}

	/**
	 * Returns whether a header belongs to a requested record.
	 * @param header header of a record
	 * @return whether it belongs to a {@link Command.DirectRecord}
	 */
	public static boolean isDirect(byte[] header) {
		return header[0] == Ids.DIRECT_RECORD;
	}

	/**
	 * Returns the headers of the records of a partition.
	 * @param address address of the producer
	 * @param subject the topic
	 * @return headers of {@link Command.Record}
	 */
	public static SequencedHeader record(Bytes address, Bytes subject) {
		return sequenced(Ids.RECORD, subject, address, subject);
	}

	/**
	 * Returns the headers of the records of a partition for one recipient.
	 * @param recipient the node that requested the records
	 * @param address address of the producer
	 * @param subject the topic
	 * @return headers of {@link Command.DirectRecord}
	 */
	public static SequencedHeader directRecord(Bytes recipient, Bytes address, Bytes subject) {
		return sequenced(Ids.DIRECT_RECORD, recipient, address, subject);
	}

	private static SequencedHeader sequenced(byte id, Bytes topic, Bytes address, Bytes subject) {
		ByteBuffer buffer = start(id, topic, string(address) + string(subject) + Long.BYTES);
		put(buffer, address);
		put(buffer, subject);
		return new SequencedHeader(buffer.array());
	}

	private static byte[] addressed(byte id, Bytes topic, Bytes sender) {
		ByteBuffer buffer = start(id, topic, string(sender));
		put(buffer, sender);
		return buffer.array();
	}

	private static byte[] consumerHello(Command.ConsumerHello hello) {
		int length = string(hello.sender()) + Integer.BYTES;
		for (Bytes subject : hello.subjects()) {
			length += Integer.BYTES + subject.size();
		}
		ByteBuffer buffer = start(Ids.CONSUMER_HELLO, hello.recipient(), length);
		put(buffer, hello.sender());
		buffer.putInt(hello.subjects().size());
		for (Bytes subject : hello.subjects()) {
			buffer.putInt(subject.size()).put(subject.unwrap());
		}
		return buffer.array();
	}

	private static ByteBuffer start(byte id, Bytes topic, int fields) {
		ByteBuffer buffer = ByteBuffer.allocate(FRAME + topic.size() + fields);
		return buffer.put(id).put(topic.unwrap()).put((byte) 0).put(Ids.VERSION);
	}

	private static int string(Bytes bytes) {
		return 1 + bytes.size();
	}

	private static void put(ByteBuffer buffer, Bytes bytes) {
		buffer.put((byte) bytes.size()).put(bytes.unwrap());
	}

}
