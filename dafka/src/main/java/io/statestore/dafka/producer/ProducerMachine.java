package io.statestore.dafka.producer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.FetchAnswers;
import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.dafka.reading.internal.Subscriptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Producer state machine, without sockets or threads. Publishes records, keeps them until
 * a store has acknowledged them, answers requests, and announces heads. With
 * {@link Acknowledge#NONE}, it completes published records and evicts old records when
 * half of the memory is used. Callers pass in the time. Used by the producer's thread,
 * except where noted.
 */
final class ProducerMachine implements Machine {

	private static final Logger logger = LoggerFactory.getLogger(ProducerMachine.class);

	private static final int RECORDS_PER_TURN = 4_096;

	/** How long consumers have to request missing records after the last heads. */
	private static final long SETTLE_NANOS = 500_000_000;

	private final Bytes address;

	private final Machine.Output output;

	private final MemoryBudget budget;

	/** Whether records may be evicted, because they need no acknowledgment. */
	private final boolean evicting;

	private final long headNanos;

	private final Completions completions;

	private final Holds holds;

	private final FetchAnswers answers;

	private final Subscriptions.Subscribers subscribers = new Subscriptions.Subscribers(Subscriptions::isDirectRecords);

	final LongAdder acknowledged = new LongAdder();

	/** Partitions with records in a store that this producer has not counted. */
	private final Set<ProducerPartition> ahead = new HashSet<>();

	final LongAdder sent = new LongAdder();

	final LongAdder evicted = new LongAdder();

	private final SendQueue queue;

	private final Map<Bytes, ProducerPartition> partitions = new HashMap<>();

	/** Whether the latest turn left no room for answers. */
	private boolean answersWait;

	private long now;

	/** Time when the last heads were sent or waited for room; {@code -1} if neither. */
	private long lastHeadsAt = -1;

	private volatile boolean closing;

	private volatile boolean settled;

	private volatile boolean ended;

	private volatile List<CloseReport.Range> abandoned = List.of();

	private volatile CloseReport report = new CloseReport(List.of());

	/** Record that has a sequence number but is unsent for lack of room. */
	private @Nullable Pending unsent;

	/** Number of records taken from the queue in this turn. */
	private int taken;

	/** Whether the limit of the latest turn was reached. */
	private boolean limited;

	/** Whether the latest turn found no record. */
	private boolean idle;

	/**
	 * Creates a machine.
	 * @param evicting whether records may be evicted, because they need no acknowledgment
	 * @param headNanos interval between heads
	 */
	ProducerMachine(Bytes address, Machine.Output output, SendQueue queue, MemoryBudget budget, boolean evicting,
			long headNanos, Completions completions, Holds holds) {
		this.address = address;
		this.output = output;
		this.budget = budget;
		this.evicting = evicting;
		this.headNanos = headNanos;
		this.completions = completions;
		this.holds = holds;
		this.queue = queue;
		this.answers = new FetchAnswers(output, this::read);
	}

	/** Returns the number of records sent on request. Safe for any thread. */
	long fetched() {
		return this.answers.sent();
	}

	/**
	 * Returns the records that were unsent or still requested by consumers when the
	 * thread ended. Safe for any thread.
	 */
	List<CloseReport.Range> abandoned() {
		return this.abandoned;
	}

	/**
	 * Returns the records that were unacknowledged when the thread ended. Safe for any
	 * thread.
	 */
	CloseReport report() {
		return this.report;
	}

	/** Returns whether the thread has ended, in which case queued records are ignored. */
	boolean isEnded() {
		return this.ended;
	}

	/**
	 * Signals that no more records will be queued. The caller must wake the node. Safe
	 * for any thread.
	 */
	void closing() {
		this.closing = true;
	}

	/**
	 * Returns whether all records are sent and consumers have had time to request missing
	 * records. Safe for any thread.
	 */
	boolean isSettled() {
		return this.settled;
	}

	@Override
	public List<byte[]> subscriptions() {
		return Subscriptions.producer(this.address);
	}

	@Override
	public boolean received(byte[] header, byte @Nullable [] content, long now) {
		Command command = Command.decode(header, content);
		if (command instanceof Command.Ack ack && ack.address().equals(this.address)) {
			ProducerPartition partition = this.partitions.get(ack.subject());
			if (partition != null) {
				acknowledge(partition, ack.sequence());
			}
		}
		else if (command instanceof Command.Fetch fetch && fetch.address().equals(this.address)) {
			ProducerPartition partition = this.partitions.get(fetch.subject());
			if (partition != null) {
				fetch(partition, fetch, now);
			}
		}
		return command != null;
	}

	private void acknowledge(ProducerPartition partition, long sequence) {
		if (sequence >= partition.counted()) {
			if (this.ahead.add(partition)) {
				logger.error(
						"A store has more records of {} than this producer has counted, so it ignores new ones as"
								+ " repetitions. The identity was restored from an old copy. Give it a new directory",
						partition.names);
			}
			return;
		}
		List<Pending> done = new ArrayList<>();
		partition.acknowledge(sequence, done::add);
		if (!done.isEmpty()) {
			this.acknowledged.add(done.size());
			release(done);
		}
	}

	private void release(List<Pending> acknowledged) {
		if (this.evicting) {
			this.budget.release(acknowledged.stream().mapToLong(Pending::cost).sum());
		}
		else {
			this.completions.complete(acknowledged, true);
		}
	}

	private void fetch(ProducerPartition partition, Command.Fetch fetch, long now) {
		if (this.evicting && this.subscribers.contains(fetch.sender())) {
			this.holds.requested(fetch.sender(), partition, fetch.sequence(), now);
		}
		if (partition.answerFrom(fetch.sequence(), fetch.count()) < partition.next()) {
			this.answers.add(fetch.sender(), partition.key, fetch.sequence(),
					Math.min(fetch.sequence() + fetch.count(), partition.next()));
		}
	}

	private void read(PartitionKey key, long first, long end, FetchAnswers.Visitor visitor) {
		ProducerPartition partition = this.partitions.get(key.subject());
		if (partition == null) {
			return;
		}
		long sequence = partition.answerFrom(first, end - first);
		for (Pending pending = partition.get(sequence); pending != null
				&& visitor.visit(sequence, pending.content); pending = partition.get(sequence)) {
			sequence++;
		}
	}

	@Override
	public void subscribed(byte[] prefix, long now) {
		this.subscribers.subscribed(prefix);
		// A consumer that starts late does not wait for the next heads.
		if (Subscriptions.isHeads(prefix)) {
			announceHeads(now);
		}
	}

	@Override
	public void unsubscribed(byte[] prefix) {
		this.subscribers.unsubscribed(prefix);
	}

	@Override
	public long work(long now) {
		this.now = now;
		// Published records must leave room for answers, or consumers would never receive
		// missing records.
		boolean room = publish(now, this.answersWait ? 1 : RECORDS_PER_TURN);
		this.answersWait = !room && !this.answers.isEmpty();
		room = room && this.answers.work();
		long next = now + this.headNanos;
		if (this.closing && this.evicting) {
			settle(now);
			next = Math.min(next, now + SETTLE_NANOS / 10);
		}
		next = Math.min(next, sendHeads(now));
		if (!room || isHeldUp()) {
			return now + Machine.Output.RETRY_NANOS;
		}
		if (!this.answers.isEmpty() || this.limited) {
			return now;
		}
		// Senders may wait for records that consumers still need.
		return (this.evicting && this.budget.isHalfUsed()) ? now + Machine.Output.RETRY_NANOS : next;
	}

	/** Sends the heads that are due. Returns when the next head is due. */
	private long sendHeads(long now) {
		long next = now + this.headNanos;
		for (ProducerPartition partition : this.partitions.values()) {
			if (now - partition.headAt >= 0) {
				partition.headAt = now + this.headNanos;
				partition.remember(now);
				if (partition.next() > 0) {
					this.output.send(new Command.Head(this.address, partition.key.subject(), partition.next() - 1));
				}
			}
			next = Math.min(next, partition.headAt);
		}
		return next;
	}

	private void announceHeads(long now) {
		this.partitions.values().forEach((partition) -> partition.headAt = now);
	}

	/**
	 * Announces the heads of all partitions after the last record, so that consumers
	 * request missing records.
	 */
	private void settle(long now) {
		boolean sent = isPublished() && !this.output.isDropping();
		if (!sent) {
			// Records or heads may be dropped, so the heads must be announced again.
			this.lastHeadsAt = -1;
		}
		else if (this.lastHeadsAt < 0) {
			this.lastHeadsAt = now;
			announceHeads(now);
		}
		else if (!this.output.hasRoom()) {
			// The heads have not been sent.
			this.lastHeadsAt = now;
		}
		this.settled = this.lastHeadsAt >= 0 && sent && this.output.hasRoom() && this.answers.isEmpty()
				&& (this.subscribers.isEmpty() || now - this.lastHeadsAt >= SETTLE_NANOS);
	}

	@Override
	public void closed() {
		this.ended = true;
		Map<ProducerPartition, Long> sentTo = new HashMap<>();
		this.partitions.values().forEach((partition) -> sentTo.put(partition, sentTo(partition)));
		// The report includes the records that are still queued.
		drain();
		List<CloseReport.Range> unacknowledged = new ArrayList<>();
		List<CloseReport.Range> needed = new ArrayList<>();
		List<Pending> left = new ArrayList<>();
		for (ProducerPartition partition : this.partitions.values()) {
			if (!partition.isEmpty()) {
				long first = firstNeeded(partition, sentTo.getOrDefault(partition, partition.first()));
				if (this.evicting && first < partition.next()) {
					needed.add(new CloseReport.Range(partition.names, first, partition.next() - first));
				}
				unacknowledged.add(new CloseReport.Range(partition.names, partition.first(),
						partition.next() - partition.first()));
				partition.removeTo(partition.next(), left::add);
			}
		}
		this.completions.fail(left);
		this.abandoned = List.copyOf(needed);
		this.report = new CloseReport(unacknowledged);
	}

	/** Returns the first record that was unsent or that a consumer still requests. */
	private long firstNeeded(ProducerPartition partition, long sentTo) {
		return Math.max(partition.first(), Math.min(sentTo, this.holds.requestedFrom(partition, this.now)));
	}

	private boolean isPublished() {
		return this.queue.isEmpty() && this.idle;
	}

	/**
	 * Returns whether publishing must pause because the continuations attached to futures
	 * are too far behind.
	 */
	private boolean isHeldUp() {
		return this.evicting && this.completions.isBehind();
	}

	/** Returns the sequence number after the last published record. */
	private long sentTo(ProducerPartition partition) {
		return (this.unsent != null && this.unsent.partition == partition) ? this.unsent.sequence : partition.next();
	}

	/**
	 * Publishes queued records.
	 * @param max maximum number of records
	 * @return whether there was room for all of them
	 */
	private boolean publish(long now, int max) {
		int count = 0;
		boolean room = true;
		List<Pending> published = new ArrayList<>();
		for (Pending pending = next(now); pending != null; pending = next(now)) {
			if (!this.output.offer(pending.partition.headers.at(pending.sequence), pending.content)) {
				this.unsent = pending;
				room = false;
				break;
			}
			this.unsent = null;
			if (this.evicting) {
				published.add(pending);
			}
			if (++count == max) {
				break;
			}
		}
		this.sent.add(count);
		this.limited = count == max;
		if (this.evicting) {
			this.completions.complete(published, false);
			this.holds.expire(now);
			// Once all records are published while closing, no space needs to be freed.
			if (!this.closing || !room || this.limited) {
				evict(now);
			}
		}
		// The order matters, because isPublished reads the queue first.
		this.idle = count == 0 && room;
		this.queue.taken(this.taken);
		this.taken = 0;
		return room;
	}

	private @Nullable Pending next(long now) {
		if (this.unsent != null) {
			return this.unsent;
		}
		if (isHeldUp()) {
			return null;
		}
		Pending pending = this.queue.poll();
		if (pending != null) {
			this.taken++;
			ProducerPartition partition = pending.partition;
			if (partition.isEmpty() && this.partitions.putIfAbsent(partition.key.subject(), partition) == null) {
				partition.headAt = now + this.headNanos;
			}
			partition.add(pending);
		}
		return pending;
	}

	/**
	 * If half of the memory is used, evicts the older half of each partition, except for
	 * records that consumers need. Evicts the last record of a partition only if nothing
	 * else can be evicted. Its presence shows consumers that the earlier records are
	 * unavailable.
	 */
	private void evict(long now) {
		if (this.budget.isHalfUsed() && !evict(0, now)) {
			evict(1, now);
		}
	}

	/** Evicts records and returns whether any were evicted. */
	private boolean evict(int more, long now) {
		long[] evicted = new long[2];
		for (ProducerPartition partition : this.partitions.values()) {
			long end = partition.first() + (sentTo(partition) - partition.first() + more) / 2;
			partition.removeTo(Math.min(end, this.holds.first(partition, now)), (pending) -> {
				evicted[0]++;
				evicted[1] += pending.cost();
			});
		}
		this.evicted.add(evicted[0]);
		this.budget.release(evicted[1]);
		return evicted[0] > 0;
	}

	/** Assigns sequence numbers to the records that are still queued. */
	private void drain() {
		for (Pending pending = this.queue.poll(); pending != null; pending = this.queue.poll()) {
			this.partitions.putIfAbsent(pending.partition.key.subject(), pending.partition);
			pending.partition.add(pending);
		}
	}

}
