package io.statestore.history;

import java.util.List;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.node.FetchAnswers;
import io.statestore.dafka.node.Machine;
import io.statestore.dafka.node.Output;
import io.statestore.dafka.node.Subscribers;
import io.statestore.dafka.wire.Command;
import io.statestore.dafka.wire.Decoder;
import io.statestore.dafka.wire.Encoder;
import io.statestore.dafka.wire.PartitionKey;
import io.statestore.dafka.wire.SequencedHeader;
import io.statestore.dafka.wire.Subscriptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State machine that publishes a journal on the network, like a producer. It keeps no
 * records in memory: it reads new and requested records from the journal. Used by the
 * thread of the node, except where noted.
 */
final class JournalMachine implements Machine {

	private static final Logger logger = LoggerFactory.getLogger(JournalMachine.class);

	private static final int RECORDS_PER_TURN = 4_096;

	/** Maximum number of unpublished records. Subscribers fetch the others. */
	private static final long MAX_BEHIND = 16_384;

	private static final long HEAD_NANOS = 1_000_000_000;

	private final Journal journal;

	private final PartitionKey key;

	private final Output output;

	private final SequencedHeader headers;

	private final Subscribers subscribers = new Subscribers(Subscriptions::isDirectRecords);

	private final FetchAnswers<PartitionKey> answers;

	/** Whether any node has subscribed; nothing is published before. */
	private boolean heard;

	/** Sequence number after the last published record. */
	private long published;

	private long headAt;

	/** Whether a store had more records than the journal, which is reported once. */
	private boolean ahead;

	private volatile long acknowledged;

	JournalMachine(Journal journal, Output output, long now) {
		this.journal = journal;
		this.key = journal.key();
		this.output = output;
		this.answers = new FetchAnswers<>(output, (partition) -> partition, this::read);
		this.headers = Encoder.record(this.key.address(), this.key.subject());
		this.published = journal.next();
		this.headAt = now;
	}

	/** Returns the number of acknowledged records. Safe for any thread. */
	long acknowledged() {
		return this.acknowledged;
	}

	@Override
	public List<byte[]> subscriptions() {
		return Subscriptions.producer(this.key.address());
	}

	@Override
	public boolean received(byte[] header, byte @Nullable [] content, long now) {
		Command command = Decoder.decode(header, content);
		if (command instanceof Command.Ack ack && isOurs(ack.address(), ack.subject())) {
			acknowledged(ack.sequence() + 1);
		}
		else if (command instanceof Command.Fetch fetch && isOurs(fetch.address(), fetch.subject())
				&& this.subscribers.contains(fetch.sender())) {
			this.answers.add(fetch.sender(), this.key, fetch.sequence(),
					Math.min(fetch.sequence() + fetch.count(), this.journal.next()));
		}
		return command != null;
	}

	private boolean isOurs(Bytes address, Bytes subject) {
		return address.equals(this.key.address()) && subject.equals(this.key.subject());
	}

	private void acknowledged(long next) {
		if (next <= this.journal.next()) {
			this.acknowledged = Math.max(this.acknowledged, next);
		}
		else if (!this.ahead) {
			this.ahead = true;
			logger.error(
					"A Dafka store has {} changes of {}, but this journal only {}. If the state store has a directory,"
							+ " and a crash of the machine just occurred, its recovery adds the same changes again."
							+ " Otherwise the journal was restored from a copy, or lost its end: new changes with the"
							+ " same numbers do not reach that Dafka store. Give the history a new directory",
					next, this.key.names(), this.journal.next());
		}
	}

	@Override
	public void subscribed(byte[] prefix, long now) {
		this.subscribers.subscribed(prefix);
		// A consumer that starts late does not wait for the next head.
		if (Subscriptions.isHeads(prefix)) {
			this.heard = true;
			this.headAt = now;
		}
	}

	@Override
	public void unsubscribed(byte[] prefix) {
		this.subscribers.unsubscribed(prefix);
	}

	@Override
	public long work(long now) {
		long end = this.journal.next();
		boolean room = publish(end) && this.answers.work();
		if (now - this.headAt >= 0) {
			this.headAt = now + HEAD_NANOS;
			if (end > 0) {
				this.output.send(new Command.Head(this.key.address(), this.key.subject(), end - 1));
			}
		}
		if (!room) {
			return now + Output.RETRY_NANOS;
		}
		return (this.published < end || !this.answers.isEmpty()) ? now : this.headAt;
	}

	/** Publishes new records, and returns whether there was room. */
	private boolean publish(long end) {
		this.published = this.heard ? Math.max(this.published, end - MAX_BEHIND) : end;
		boolean[] room = { true };
		long limit = Math.min(end, this.published + RECORDS_PER_TURN);
		if (this.published < limit) {
			this.journal.read(this.published, (sequence, content) -> {
				room[0] = this.output.offer(this.headers.at(sequence), Bytes.wrap(content));
				if (room[0]) {
					this.published = sequence + 1;
				}
				return room[0] && this.published < limit;
			});
		}
		return room[0];
	}

	private void read(PartitionKey partition, long first, long end, FetchAnswers.Visitor visitor) {
		this.journal.read(first, (sequence, content) -> visitor.visit(sequence, Bytes.wrap(content)));
	}

	@Override
	public void closed() {
	}

}
