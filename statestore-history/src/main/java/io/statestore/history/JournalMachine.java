package io.statestore.history;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.statestore.dafka.Bytes;
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
 * The journal as a producer on the network. It keeps no records in memory: both new and
 * requested records are read from the journal.
 */
final class JournalMachine implements Machine {

	private static final Logger logger = LoggerFactory.getLogger(JournalMachine.class);

	private static final int RECORDS_PER_TURN = 4_096;

	private static final int RECORDS_PER_SLICE = 1_024;

	/** Records of one request. */
	private static final int MAX_FETCH = 1 << 17;

	/** Maximum number of unpublished records. Subscribers fetch the others. */
	private static final long MAX_BEHIND = 16_384;

	private static final int MAX_JOBS = 1_000;

	private static final long HEAD_NANOS = 1_000_000_000;

	private static final long RETRY_NANOS = 1_000_000;

	private final Journal journal;

	private final PartitionKey key;

	private final Output output;

	private final SequencedHeader headers;

	private final Subscribers subscribers = new Subscribers(Subscriptions::isDirectRecords);

	/** What each recipient still has to get. */
	private final Map<Bytes, Range> jobs = new LinkedHashMap<>();

	/** Whether any node has subscribed; nothing is published before. */
	private boolean heard;

	private long published;

	private long headAt;

	private boolean ahead;

	private volatile long acknowledged;

	JournalMachine(Journal journal, Output output, long now) {
		this.journal = journal;
		this.key = journal.key();
		this.output = output;
		this.headers = Encoder.record(this.key.address(), this.key.subject());
		this.published = journal.next();
		this.headAt = now;
	}

	/** How many records a store elsewhere has. Any thread may ask. */
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
				&& fetch.sequence() < this.journal.next() && this.subscribers.contains(fetch.sender())
				&& (this.jobs.size() < MAX_JOBS || this.jobs.containsKey(fetch.sender()))) {
			Range asked = new Range(fetch.sequence(), fetch.sequence() + Math.min(fetch.count(), MAX_FETCH));
			this.jobs.merge(fetch.sender(), asked, Range::with);
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
					"A Dafka store has {} changes of {}, this journal only {}: it was restored from a copy or lost its"
							+ " end with the machine. New changes with the same numbers do not reach that store;"
							+ " give the history a new directory",
					next, this.key.names(), this.journal.next());
		}
	}

	@Override
	public void subscribed(byte[] prefix, long now) {
		this.subscribers.subscribed(prefix);
		// Who comes late need not wait for the next head to learn what there is.
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
		boolean room = publish(end) && answerFetches();
		if (now - this.headAt >= 0) {
			this.headAt = now + HEAD_NANOS;
			if (end > 0) {
				this.output.send(new Command.Head(this.key.address(), this.key.subject(), end - 1));
			}
		}
		if (!room) {
			return now + RETRY_NANOS;
		}
		return (this.published < end || !this.jobs.isEmpty()) ? now : this.headAt;
	}

	/** Whether there was room. */
	private boolean publish(long end) {
		this.published = this.heard ? Math.max(this.published, end - MAX_BEHIND) : end;
		Range range = new Range(this.published, end);
		boolean room = send(this.headers, range, RECORDS_PER_TURN);
		this.published = range.next;
		return room;
	}

	/** Returns whether there was room. The recipients share the records of a turn. */
	private boolean answerFetches() {
		for (long left = RECORDS_PER_TURN; left > 0 && !this.jobs.isEmpty();) {
			Bytes recipient = this.jobs.keySet().iterator().next();
			Range range = this.jobs.remove(recipient);
			long first = range.next;
			boolean room = send(Encoder.directRecord(recipient, this.key.address(), this.key.subject()), range,
					(int) Math.min(left, RECORDS_PER_SLICE));
			left -= Math.max(1, Math.min(range.next - first, RECORDS_PER_SLICE));
			if (range.next < Math.min(range.end, this.journal.next()) && (!room || range.next > first)) {
				this.jobs.put(recipient, range);
			}
			if (!room) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Sends what is in a range, and moves it on. The first record there is goes out even
	 * if it is beyond the end: it tells that those before are gone.
	 * @return whether there was room
	 */
	private boolean send(SequencedHeader headers, Range range, int max) {
		boolean[] room = { true };
		int[] sent = new int[1];
		if (range.next < range.end) {
			this.journal.read(range.next, (sequence, content) -> {
				if (sent[0] > 0 && sequence >= range.end) {
					return false;
				}
				room[0] = this.output.offer(headers.at(sequence), Bytes.wrap(content));
				if (room[0]) {
					range.next = sequence + 1;
					sent[0]++;
				}
				return room[0] && range.next < range.end && sent[0] < max;
			});
		}
		return room[0];
	}

	@Override
	public void closed() {
	}

	/** From {@code next} (inclusive) to {@code end} (exclusive). */
	private static final class Range {

		private long next;

		private final long end;

		Range(long next, long end) {
			this.next = next;
			this.end = end;
		}

		/**
		 * What is asked for next extends it, and what is asked for again starts it over.
		 * A request for records that were just sent changes nothing: consumers repeat the
		 * one for their next record, and it may be on the way.
		 */
		Range with(Range asked) {
			if (asked.end <= this.next) {
				return this;
			}
			return (asked.next >= this.next && asked.next <= this.end)
					? new Range(this.next, Math.max(this.end, asked.end)) : asked;
		}

	}

}
