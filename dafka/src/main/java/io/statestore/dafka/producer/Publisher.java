package io.statestore.dafka.producer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Publisher of the queued records of a producer, in order. With {@link Acknowledge#NONE},
 * it completes published records and evicts old ones when half of the memory is used.
 * Used by the thread of the producer; any thread may read the counters.
 */
final class Publisher {

	final LongAdder sent = new LongAdder();

	final LongAdder evicted = new LongAdder();

	private final Machine.Output output;

	private final SendQueue queue;

	private final MemoryBudget budget;

	private final Completions completions;

	private final Holds holds;

	/** Whether records need no acknowledgment, so that they may be evicted. */
	private final boolean evicting;

	private final long headNanos;

	/** Partitions by topic. */
	private final Map<Bytes, ProducerPartition> partitions = new HashMap<>();

	/** Record that has its sequence number, but for which there was no room. */
	private @Nullable Pending unsent;

	/** Number of records taken from the queue in this turn. */
	private int taken;

	/** Whether the limit of the latest turn was reached. */
	private boolean limited;

	/** Whether the latest turn found no record. */
	private boolean idle;

	Publisher(Machine.Output output, SendQueue queue, MemoryBudget budget, Completions completions, Holds holds,
			boolean evicting, long headNanos) {
		this.output = output;
		this.queue = queue;
		this.budget = budget;
		this.completions = completions;
		this.holds = holds;
		this.evicting = evicting;
		this.headNanos = headNanos;
	}

	Collection<ProducerPartition> partitions() {
		return this.partitions.values();
	}

	/** Returns the partition of a topic, or {@code null} if it has no records. */
	@Nullable ProducerPartition partition(Bytes topic) {
		return this.partitions.get(topic);
	}

	/** Returns whether the limit of the latest turn was reached. */
	boolean isLimited() {
		return this.limited;
	}

	/** Returns whether all queued records were published. */
	boolean isDone() {
		return this.queue.isEmpty() && this.idle;
	}

	/**
	 * Returns whether nothing may be published, because the continuations that users have
	 * attached to futures are too far behind.
	 */
	boolean isHeldUp() {
		return this.evicting && this.completions.isBehind();
	}

	/** Returns the sequence number after the last published record. */
	long sentTo(ProducerPartition partition) {
		return (this.unsent != null && this.unsent.partition == partition) ? this.unsent.sequence : partition.next();
	}

	/**
	 * Publishes queued records.
	 * @param max maximum number of records
	 * @param closing whether no further records will be queued
	 * @return whether there was room for all of them
	 */
	boolean publish(long now, int max, boolean closing) {
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
			// After the last record, no room is needed.
			if (!closing || !room || this.limited) {
				evict(now);
			}
		}
		// In this order, because isDone reads the queue first.
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
	 * Evicts records that no consumer needs, the older half of each partition, if half of
	 * the memory is used. Evicts the last record of a partition only if nothing else can
	 * be evicted. Its presence shows consumers that the earlier records are unavailable.
	 */
	private void evict(long now) {
		if (this.budget.isHalfUsed() && !evict(0, now)) {
			evict(1, now);
		}
	}

	/** Evicts records, and returns whether there were any. */
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
	void drain() {
		for (Pending pending = this.queue.poll(); pending != null; pending = this.queue.poll()) {
			this.partitions.putIfAbsent(pending.partition.key.subject(), pending.partition);
			pending.partition.add(pending);
		}
	}

}
