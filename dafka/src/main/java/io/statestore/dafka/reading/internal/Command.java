package io.statestore.dafka.reading.internal;

import java.util.List;

import io.statestore.dafka.Bytes;

/**
 * Command of Dafka 1.0 (RFC 46), or the extension {@link EndOfHeads}. Addresses and
 * topics are the bytes on the wire. The topic of a message, which subscriptions match, is
 * the recipient or the subject. Internal: not part of the API.
 */
public sealed interface Command {

	/** Limit of valid sequence numbers, so that arithmetic does not overflow. */
	long MAX_SEQUENCE = 1L << 62;

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

}
