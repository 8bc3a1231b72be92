package io.statestore.dafka.reading.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Command of Dafka 1.0 (RFC 46), or the extension {@link EndOfHeads}. Addresses and
 * topics are in wire form. The ZeroMQ topic of a message, which subscriptions match, is
 * its recipient or its subject. Internal: not part of the API.
 */
public sealed interface Command {

	/** Upper limit for valid sequence numbers, so that arithmetic does not overflow. */
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
	 * Returns the header template for a partition's records.
	 * @param address producer's address
	 * @param subject topic in wire form
	 * @return headers of {@link Record}
	 */
	static Headers record(Bytes address, Bytes subject) {
		return Codec.sequenced(Codec.RECORD, subject, address, subject);
	}

	/**
	 * Returns the header template for a partition's records when a single recipient has
	 * requested those records.
	 * @param recipient address of the node that requested the records
	 * @param address producer's address
	 * @param subject topic in wire form
	 * @return headers of {@link DirectRecord}
	 */
	static Headers directRecord(Bytes recipient, Bytes address, Bytes subject) {
		return Codec.sequenced(Codec.DIRECT_RECORD, recipient, address, subject);
	}

	/**
	 * Record sent by its producer to all subscribers ({@code M}).
	 *
	 * @param address producer's address
	 * @param subject topic of the record
	 * @param sequence sequence number in the partition
	 * @param content record content
	 */
	record Record(Bytes address, Bytes subject, long sequence, Bytes content) implements Command {
	}

	/**
	 * Requested record, sent to one node ({@code D}).
	 *
	 * @param recipient address of the node that requested the record
	 * @param address producer's address
	 * @param subject topic of the record
	 * @param sequence sequence number in the partition
	 * @param content record content
	 */
	record DirectRecord(Bytes recipient, Bytes address, Bytes subject, long sequence,
			Bytes content) implements Command {
	}

	/**
	 * Request for a partition's records, sent to its producer and all stores ({@code F}).
	 *
	 * @param address producer's address
	 * @param sender address of the requesting node
	 * @param subject topic of the records
	 * @param sequence sequence number of the first requested record
	 * @param count number of requested records
	 */
	record Fetch(Bytes address, Bytes sender, Bytes subject, long sequence, long count) implements Command {
	}

	/**
	 * A store's acknowledgment that it has written records ({@code K}).
	 *
	 * @param address producer's address
	 * @param subject topic of the records
	 * @param sequence sequence number of the last written record; all earlier records are
	 * written, too
	 */
	record Ack(Bytes address, Bytes subject, long sequence) implements Command {
	}

	/**
	 * Announcement of a partition's last record, sent by its producer to all subscribers
	 * ({@code H}).
	 *
	 * @param address producer's address
	 * @param subject topic of the record
	 * @param sequence sequence number of the record
	 */
	record Head(Bytes address, Bytes subject, long sequence) implements Command {
	}

	/**
	 * Announcement of a partition's last record, sent to one node ({@code E}).
	 *
	 * @param recipient address of the consumer or store
	 * @param address producer's address
	 * @param subject topic of the record
	 * @param sequence sequence number of the record
	 */
	record DirectHead(Bytes recipient, Bytes address, Bytes subject, long sequence) implements Command {
	}

	/**
	 * Marks the end of the heads that a store sends to one consumer ({@code T}). This
	 * extension of RFC 46 reaches only nodes that subscribe to it. Stores that send it
	 * announce this by subscribing to it with their own address.
	 *
	 * @param recipient address of the consumer
	 * @param address address of the store
	 * @param subject topic of the heads
	 * @param count number of heads sent
	 */
	record EndOfHeads(Bytes recipient, Bytes address, Bytes subject, long count) implements Command {
	}

	/**
	 * Request for a topic's heads, sent to all stores ({@code G}).
	 *
	 * @param subject topic of the heads
	 * @param sender address of the requesting node
	 */
	record GetHeads(Bytes subject, Bytes sender) implements Command {
	}

	/**
	 * Request for the heads of a consumer's topics, sent to one store ({@code W}).
	 *
	 * @param recipient address of the store
	 * @param sender address of the consumer
	 * @param subjects the consumer's topics
	 */
	record ConsumerHello(Bytes recipient, Bytes sender, List<Bytes> subjects) implements Command {

		public ConsumerHello {
			subjects = List.copyOf(subjects);
		}

	}

	/**
	 * Introduces a store to one consumer ({@code L}).
	 *
	 * @param recipient address of the consumer
	 * @param sender address of the store
	 */
	record StoreHello(Bytes recipient, Bytes sender) implements Command {
	}

	/**
	 * Template for headers that differ only in the sequence number at the end.
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
		 * @param sequence sequence number to put at the end
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
		 * @return the number, not validated
		 */
		public static long sequence(byte[] header) {
			return (long) LONG.get(header, header.length - Long.BYTES);
		}

	}

}
