package io.statestore.dafka.wire;

import java.util.List;

import io.statestore.dafka.Bytes;

/**
 * One of the nine commands of Dafka 1.0, or the one extension of this implementation.
 * Addresses and topics are the bytes on the wire. {@code topic} is what subscribers match
 * on, {@code subject} the topic a command is about; where both are the same there is only
 * one component.
 */
public sealed interface Command {

	/** Offsets beyond are nonsense, and arithmetic on them must not overflow. */
	long MAX_SEQUENCE = 1L << 62;

	/** A record, from its producer to all ({@code M}). */
	record Record(Bytes address, Bytes subject, long sequence, Bytes content) implements Command {
	}

	/** A record that was fetched, to who fetched it ({@code D}). */
	record DirectRecord(Bytes recipient, Bytes address, Bytes subject, long sequence,
			Bytes content) implements Command {
	}

	/** Asks for {@code count} records of a partition ({@code F}). */
	record Fetch(Bytes address, Bytes sender, Bytes subject, long sequence, long count) implements Command {
	}

	/** Everything up to and with {@code sequence} is stored ({@code K}). */
	record Ack(Bytes address, Bytes subject, long sequence) implements Command {
	}

	/** The last record of a partition, from its producer to all ({@code H}). */
	record Head(Bytes address, Bytes subject, long sequence) implements Command {
	}

	/** The last record of a partition, to one consumer ({@code E}). */
	record DirectHead(Bytes recipient, Bytes address, Bytes subject, long sequence) implements Command {
	}

	/**
	 * Ends the heads of a topic that a store sent to one consumer ({@code T}). An
	 * extension of RFC 46: only nodes that subscribe to it get it, and stores that send
	 * it subscribe to their own address.
	 *
	 * @param recipient the consumer
	 * @param address the store
	 * @param subject the topic
	 * @param count number of heads sent
	 */
	record EndOfHeads(Bytes recipient, Bytes address, Bytes subject, long count) implements Command {
	}

	/** Asks all stores for the heads of a topic ({@code G}). */
	record GetHeads(Bytes subject, Bytes sender) implements Command {
	}

	/** Tells one store the topics of a consumer ({@code W}). */
	record ConsumerHello(Bytes recipient, Bytes sender, List<Bytes> subjects) implements Command {

		public ConsumerHello {
			subjects = List.copyOf(subjects);
		}

	}

	/** Tells one consumer that there is a store ({@code L}). */
	record StoreHello(Bytes recipient, Bytes sender) implements Command {
	}

}
