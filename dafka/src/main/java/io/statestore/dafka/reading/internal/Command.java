package io.statestore.dafka.reading.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Command of Dafka 1.0 (RFC 46), or the extension {@link EndOfHeads}. Addresses and
 * topics are the bytes on the wire. The topic of a message, which subscriptions match, is
 * the recipient or the subject. Internal: not part of the API.
 */
public sealed interface Command {

	/** Limit of valid sequence numbers, so that arithmetic does not overflow. */
	long MAX_SEQUENCE = 1L << 62;

	/**
	 * Decodes a message.
	 * @param header first frame
	 * @param content second frame, or {@code null} if there is none
	 * @return the command, or {@code null} if the message is malformed
	 */
	static @Nullable Command decode(byte[] header, byte @Nullable [] content) {
		return Codec.decode(header, content);
	}

	/**
	 * Encodes this command. The content of a record is a separate frame.
	 * @return the header frame
	 */
	default byte[] encode() {
		return Codec.header(this);
	}

	/**
	 * Returns the headers of the records of a partition.
	 * @param address address of the producer
	 * @param subject the topic
	 * @return headers of {@link Record}
	 */
	static Headers record(Bytes address, Bytes subject) {
		return Codec.sequenced(Codec.RECORD, subject, address, subject);
	}

	/**
	 * Returns the headers of the records of a partition for one recipient.
	 * @param recipient the node that requested the records
	 * @param address address of the producer
	 * @param subject the topic
	 * @return headers of {@link DirectRecord}
	 */
	static Headers directRecord(Bytes recipient, Bytes address, Bytes subject) {
		return Codec.sequenced(Codec.DIRECT_RECORD, recipient, address, subject);
	}

	/**
	 * Record from its producer to all subscribers ({@code M}).
	 *
	 * @param address address of the producer
	 * @param subject topic of the record
	 * @param sequence sequence number in the partition
	 * @param content content of the record
	 */
	record Record(Bytes address, Bytes subject, long sequence, Bytes content) implements Command {
	}

	/**
	 * Record that was requested, to one node ({@code D}).
	 *
	 * @param recipient the node that requested it
	 * @param address address of the producer
	 * @param subject topic of the record
	 * @param sequence sequence number in the partition
	 * @param content content of the record
	 */
	record DirectRecord(Bytes recipient, Bytes address, Bytes subject, long sequence,
			Bytes content) implements Command {
	}

	/**
	 * Request for records of a partition, to its producer and all stores ({@code F}).
	 *
	 * @param address address of the producer
	 * @param sender the node that requests
	 * @param subject topic of the records
	 * @param sequence sequence number of the first record
	 * @param count number of records
	 */
	record Fetch(Bytes address, Bytes sender, Bytes subject, long sequence, long count) implements Command {
	}

	/**
	 * Acknowledgment of a store that it has written records ({@code K}).
	 *
	 * @param address address of the producer
	 * @param subject topic of the records
	 * @param sequence last written record; all earlier ones are written, too
	 */
	record Ack(Bytes address, Bytes subject, long sequence) implements Command {
	}

	/**
	 * Announcement of the last record of a partition, from its producer to all
	 * subscribers ({@code H}).
	 *
	 * @param address address of the producer
	 * @param subject topic of the record
	 * @param sequence sequence number of the record
	 */
	record Head(Bytes address, Bytes subject, long sequence) implements Command {
	}

	/**
	 * Announcement of the last record of a partition, to one node ({@code E}).
	 *
	 * @param recipient the consumer or store
	 * @param address address of the producer
	 * @param subject topic of the record
	 * @param sequence sequence number of the record
	 */
	record DirectHead(Bytes recipient, Bytes address, Bytes subject, long sequence) implements Command {
	}

	/**
	 * End of the heads that a store has sent to one consumer ({@code T}). This extension
	 * of RFC 46 reaches only nodes that subscribe to it. Stores that send it subscribe to
	 * it with their own address, which announces this feature.
	 *
	 * @param recipient the consumer
	 * @param address the store
	 * @param subject the topic
	 * @param count number of heads sent
	 */
	record EndOfHeads(Bytes recipient, Bytes address, Bytes subject, long count) implements Command {
	}

	/**
	 * Request for the heads of a topic, to all stores ({@code G}).
	 *
	 * @param subject the topic
	 * @param sender the node that requests
	 */
	record GetHeads(Bytes subject, Bytes sender) implements Command {
	}

	/**
	 * Request for the heads of the topics of a consumer, to one store ({@code W}).
	 *
	 * @param recipient the store
	 * @param sender the consumer
	 * @param subjects the topics
	 */
	record ConsumerHello(Bytes recipient, Bytes sender, List<Bytes> subjects) implements Command {

		public ConsumerHello {
			subjects = List.copyOf(subjects);
		}

	}

	/**
	 * Announcement of a store to one consumer ({@code L}).
	 *
	 * @param recipient the consumer
	 * @param sender the store
	 */
	record StoreHello(Bytes recipient, Bytes sender) implements Command {
	}

	/**
	 * Template of headers that differ only in the sequence number at their end.
	 * Thread-safe. Internal: not part of the API.
	 */
	public final class Headers {

		private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

		private final byte[] template;

		Headers(byte[] template) {
			this.template = template;
		}

		/**
		 * Returns the header for a sequence number.
		 * @param sequence the sequence number
		 * @return a new header
		 */
		public byte[] at(long sequence) {
			byte[] header = this.template.clone();
			LONG.set(header, header.length - Long.BYTES, sequence);
			return header;
		}

		/**
		 * Returns the sequence number at the end of a header.
		 * @param header a header of at least eight bytes
		 * @return the sequence number
		 */
		public static long sequence(byte[] header) {
			return (long) LONG.get(header, header.length - Long.BYTES);
		}

	}

}
