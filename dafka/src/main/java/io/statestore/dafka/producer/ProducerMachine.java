package io.statestore.dafka.producer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.node.Machine;
import io.statestore.dafka.node.Output;
import io.statestore.dafka.node.Subscribers;
import io.statestore.dafka.wire.Command;
import io.statestore.dafka.wire.Decoder;
import io.statestore.dafka.wire.Encoder;
import io.statestore.dafka.wire.SequencedHeader;
import io.statestore.dafka.wire.Subscriptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A producer without sockets and threads: numbers records, publishes them, keeps them
 * until a store acknowledged them, answers fetches, and tells heads.
 */
final class ProducerMachine implements Machine {

	private static final Logger logger = LoggerFactory.getLogger(ProducerMachine.class);

	private static final int RECORDS_PER_TURN = 4_096;

	private static final int MAX_JOBS = 1_000;

	private static final long RETRY_NANOS = 1_000_000;

	/** Time in which consumers request what they miss, after the last heads. */
	private static final long SETTLE_NANOS = 500_000_000;

	private final Bytes address;

	private final Output output;

	private final SendQueue queue;

	private final MemoryBudget budget;

	private final boolean forgetting;

	private final long headNanos;

	private final Completions completions;

	private final Holds holds;

	private final Subscribers subscribers = new Subscribers(Subscriptions::isDirectRecords);

	private final Map<Bytes, Lane> lanes = new HashMap<>();

	/** Fetches that wait for room, by who asked for what. */
	private final Map<JobKey, Job> jobs = new LinkedHashMap<>();

	final LongAdder sent = new LongAdder();

	final LongAdder acknowledged = new LongAdder();

	final LongAdder fetched = new LongAdder();

	final LongAdder forgotten = new LongAdder();

	final LongAdder abandoned = new LongAdder();

	/** Topics of which stores have more than they should. */
	private final Set<Lane> ahead = new HashSet<>();

	/** Has its number, but there was no room to send it. */
	private @Nullable Pending unsent;

	/** From the queue, in this turn. */
	private int taken;

	private boolean more;

	/** Whether there was no room left for answers in the last turn. */
	private boolean answersWait;

	private long now;

	/** When the last heads waited or left, {@code -1} before. */
	private long lastHeadsAt = -1;

	private volatile boolean closing;

	private volatile boolean settled;

	private volatile boolean ended;

	private volatile boolean idle;

	private volatile List<CloseReport.Range> abandonedRanges = List.of();

	private volatile CloseReport report = new CloseReport(List.of());

	ProducerMachine(Bytes address, Output output, SendQueue queue, MemoryBudget budget, boolean forgetting,
			long headNanos, Completions completions, Holds holds) {
		this.address = address;
		this.output = output;
		this.queue = queue;
		this.budget = budget;
		this.forgetting = forgetting;
		this.headNanos = headNanos;
		this.completions = completions;
		this.holds = holds;
	}

	@Override
	public List<byte[]> subscriptions() {
		return Subscriptions.producer(this.address);
	}

	@Override
	public boolean received(byte[] header, byte @Nullable [] content, long now) {
		Command command = Decoder.decode(header, content);
		if (command instanceof Command.Ack ack && ack.address().equals(this.address)) {
			Lane lane = this.lanes.get(ack.subject());
			if (lane != null) {
				acknowledge(lane, ack.sequence());
			}
		}
		else if (command instanceof Command.Fetch fetch && fetch.address().equals(this.address)) {
			Lane lane = this.lanes.get(fetch.subject());
			if (lane != null) {
				fetch(lane, fetch, now);
			}
		}
		return command != null;
	}

	private void acknowledge(Lane lane, long sequence) {
		if (sequence >= lane.next()) {
			if (this.ahead.add(lane)) {
				logger.error(
						"A store has more records of {} than this producer ever counted, and takes new ones for"
								+ " repetitions: its identity was restored from an old copy, give it a new directory",
						lane.names);
			}
			return;
		}
		List<Pending> done = new ArrayList<>();
		lane.acknowledge(sequence, done::add);
		if (!done.isEmpty()) {
			this.acknowledged.add(done.size());
			release(done);
		}
	}

	private void fetch(Lane lane, Command.Fetch fetch, long now) {
		if (this.forgetting && this.subscribers.contains(fetch.sender())) {
			this.holds.requested(fetch.sender(), lane, fetch.sequence(), now);
		}
		long first = lane.answerFrom(fetch.sequence(), fetch.count());
		long end = Math.min(Math.max(fetch.sequence() + fetch.count(), (first < lane.next()) ? first + 1 : 0),
				lane.next());
		JobKey key = new JobKey(fetch.sender(), lane);
		if (first < end && (this.jobs.size() < MAX_JOBS || this.jobs.containsKey(key))) {
			this.jobs.merge(key, new Job(first, end), Job::with);
		}
	}

	@Override
	public void subscribed(byte[] prefix, long now) {
		this.subscribers.subscribed(prefix);
		// Who comes late need not wait for the next head to learn what there is.
		if (Subscriptions.isHeads(prefix)) {
			this.lanes.values().forEach((lane) -> lane.headAt = now);
		}
	}

	@Override
	public void unsubscribed(byte[] prefix) {
		this.subscribers.unsubscribed(prefix);
	}

	@Override
	public long work(long now) {
		this.now = now;
		// New records must not take all the room for ever, or who lost some gets none.
		boolean room = publish(now, this.answersWait ? 1 : RECORDS_PER_TURN);
		this.answersWait = !room && !this.jobs.isEmpty();
		room = room && answerFetches();
		long next = now + this.headNanos;
		if (this.closing && this.forgetting) {
			settle(now);
			next = Math.min(next, now + SETTLE_NANOS / 10);
		}
		for (Lane lane : this.lanes.values()) {
			if (now - lane.headAt >= 0) {
				lane.headAt = now + this.headNanos;
				lane.remember(now);
				if (lane.next() > 0) {
					this.output.send(new Command.Head(this.address, lane.key.subject(), lane.next() - 1));
				}
			}
			next = Math.min(next, lane.headAt);
		}
		if (!room || isHeldUp()) {
			return now + RETRY_NANOS;
		}
		if (!this.jobs.isEmpty() || this.more) {
			return now;
		}
		// Senders may wait for what consumers still need.
		return (this.forgetting && this.budget.isHalfUsed()) ? now + RETRY_NANOS : next;
	}

	/**
	 * Sends the heads of all topics after the last record: consumers that miss records
	 * request them.
	 */
	private void settle(long now) {
		if (this.lastHeadsAt < 0 && isSent()) {
			this.lastHeadsAt = now;
			this.lanes.values().forEach((lane) -> lane.headAt = now);
		}
		else if (this.lastHeadsAt >= 0 && !this.output.hasRoom()) {
			// Consumers have not heard of them yet.
			this.lastHeadsAt = now;
		}
		this.settled = this.lastHeadsAt >= 0 && isSent() && this.output.hasRoom() && this.jobs.isEmpty()
				&& (this.subscribers.isEmpty() || now - this.lastHeadsAt >= SETTLE_NANOS);
	}

	/** Whether there was room for everything that waits. */
	private boolean publish(long now, int max) {
		int count = 0;
		boolean room = true;
		List<Pending> published = new ArrayList<>();
		for (Pending pending = next(now); pending != null; pending = next(now)) {
			if (!this.output.offer(pending.lane.headers.at(pending.sequence), pending.content)) {
				this.unsent = pending;
				room = false;
				break;
			}
			this.unsent = null;
			if (this.forgetting) {
				published.add(pending);
			}
			if (++count == max) {
				break;
			}
		}
		this.sent.add(count);
		if (this.forgetting) {
			this.completions.complete(published, false);
			this.holds.expire(now);
			// After the last record, there is no need to make room.
			if (!this.closing || !room || count == max) {
				forget(now);
			}
		}
		this.more = count == max;
		// In this order, since closing reads the queue first.
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
			Lane lane = pending.lane;
			if (lane.isEmpty() && this.lanes.putIfAbsent(lane.key.subject(), lane) == null) {
				lane.headAt = now + this.headNanos;
			}
			lane.add(pending);
		}
		return pending;
	}

	/** Whether continuations of users are so far behind that nothing more may be sent. */
	private boolean isHeldUp() {
		return this.forgetting && this.completions.isBehind();
	}

	/**
	 * Forgets records that no consumer needs: of each topic the older half, until the
	 * memory suffices. The last one stays, if possible: it tells who asks that the others
	 * are gone.
	 */
	private void forget(long now) {
		if (this.budget.isHalfUsed() && !forget(0, now)) {
			forget(1, now);
		}
	}

	/** Whether there was something to forget. */
	private boolean forget(int more, long now) {
		long[] gone = new long[2];
		for (Lane lane : this.lanes.values()) {
			long end = lane.first() + (sentTo(lane) - lane.first() + more) / 2;
			lane.removeTo(Math.min(end, this.holds.first(lane, now)), (pending) -> {
				gone[0]++;
				gone[1] += pending.cost();
			});
		}
		this.forgotten.add(gone[0]);
		this.budget.give(gone[1]);
		return gone[0] > 0;
	}

	private long sentTo(Lane lane) {
		return (this.unsent != null && this.unsent.lane == lane) ? this.unsent.sequence : lane.next();
	}

	private void release(List<Pending> done) {
		if (this.forgetting) {
			this.budget.give(done.stream().mapToLong(Pending::cost).sum());
		}
		else {
			this.completions.complete(done, true);
		}
	}

	/** Whether there was room. */
	private boolean answerFetches() {
		int left = RECORDS_PER_TURN;
		while (left > 0 && !this.jobs.isEmpty()) {
			Map.Entry<JobKey, Job> entry = this.jobs.entrySet().iterator().next();
			JobKey key = entry.getKey();
			long end = Math.min(entry.getValue().end, entry.getValue().next + left);
			long next = answer(key, entry.getValue().next, end);
			left -= (int) Math.max(1, next - entry.getValue().next);
			this.jobs.remove(key);
			if (next < entry.getValue().end) {
				this.jobs.put(key, new Job(next, entry.getValue().end));
			}
			if (next < end) {
				return false;
			}
		}
		return true;
	}

	private long answer(JobKey key, long first, long end) {
		SequencedHeader headers = Encoder.directRecord(key.recipient(), this.address, key.lane().key.subject());
		long sequence = first;
		while (sequence < end) {
			Pending pending = key.lane().get(sequence);
			if (pending != null) {
				if (!this.output.offer(headers.at(sequence), pending.content)) {
					break;
				}
				this.fetched.increment();
			}
			sequence++;
		}
		return sequence;
	}

	@Override
	public void closed() {
		this.ended = true;
		Map<Lane, Long> sentTo = new HashMap<>();
		this.lanes.values().forEach((lane) -> sentTo.put(lane, sentTo(lane)));
		// What is still in the queue gets its numbers, too, for the report.
		for (Pending pending = this.queue.poll(); pending != null; pending = this.queue.poll()) {
			this.lanes.putIfAbsent(pending.lane.key.subject(), pending.lane);
			pending.lane.add(pending);
		}
		List<CloseReport.Range> ranges = new ArrayList<>();
		List<Pending> left = new ArrayList<>();
		List<CloseReport.Range> needed = new ArrayList<>();
		for (Lane lane : this.lanes.values()) {
			if (!lane.isEmpty()) {
				long first = firstNeeded(lane, sentTo.getOrDefault(lane, lane.first()));
				if (this.forgetting && first < lane.next()) {
					needed.add(new CloseReport.Range(lane.names, first, lane.next() - first));
				}
				ranges.add(new CloseReport.Range(lane.names, lane.first(), lane.next() - lane.first()));
				lane.removeTo(lane.next(), left::add);
			}
		}
		this.completions.fail(left);
		needed.forEach((range) -> this.abandoned.add(range.count()));
		this.abandonedRanges = List.copyOf(needed);
		this.report = new CloseReport(ranges);
	}

	/** Returns the first record that was not sent, or that a consumer still requests. */
	private long firstNeeded(Lane lane, long sentTo) {
		return Math.max(lane.first(), Math.min(sentTo, this.holds.requestedFrom(lane, this.now)));
	}

	private boolean isSent() {
		return this.queue.isEmpty() && this.idle;
	}

	/** No more records will be queued. The node has to be woken. */
	void closing() {
		this.closing = true;
	}

	/**
	 * Returns whether everything is sent, and consumers had time to request what they
	 * miss.
	 */
	boolean isSettled() {
		return this.settled;
	}

	/**
	 * Returns what was not sent, or what consumers still requested, when the thread
	 * ended.
	 */
	List<CloseReport.Range> abandonedRanges() {
		return this.abandonedRanges;
	}

	/** Whether what is queued from now on is not seen any more. */
	boolean isEnded() {
		return this.ended;
	}

	/** What was left, once the thread has ended. */
	CloseReport report() {
		return this.report;
	}

	private record JobKey(Bytes recipient, Lane lane) {
	}

	/** From {@code next} (inclusive) to {@code end} (exclusive). */
	private record Job(long next, long end) {

		/**
		 * Returns this job with another request of the same consumer. A request for
		 * records that were just sent changes nothing: consumers repeat the one for their
		 * next record, which may be on its way.
		 */
		Job with(Job requested) {
			if (requested.end <= this.next) {
				return this;
			}
			return (requested.next >= this.next && requested.next <= this.end)
					? new Job(this.next, Math.max(this.end, requested.end)) : requested;
		}

	}

}
