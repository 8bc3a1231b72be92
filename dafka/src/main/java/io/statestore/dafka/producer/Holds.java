package io.statestore.dafka.producer;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.internal.WarningLimit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks the records that consumers still need, for producers without acknowledgments. A
 * consumer that has fallen behind requests its next record repeatedly. The producer keeps
 * this record and all later records, which slows it down to the consumer's speed. It
 * stops waiting for a consumer that makes no progress; a pause in that consumer's
 * requests does not restart the wait. If there are too many requests to remember, all
 * records are kept. Used by the producer's thread; any thread may call {@link #isEmpty}.
 */
final class Holds {

	/** Maximum number of remembered consumers. A consumer counts once per topic. */
	static final int MAX = 10_000;

	private static final Logger logger = LoggerFactory.getLogger(Holds.class);

	/** How long a request is valid. */
	private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** How long a consumer's progress is remembered after its last request. */
	private static final long MEMORY_NANOS = TimeUnit.MINUTES.toNanos(5);

	private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final long progressTimeoutNanos;

	private final Map<ProducerPartition, Map<Bytes, Hold>> holds = new HashMap<>();

	private final WarningLimit warnings = new WarningLimit();

	private int size;

	/** Stands for the requests of all consumers beyond the maximum. */
	private final Hold overflow = new Hold();

	private long sweptAt;

	private volatile boolean empty = true;

	/**
	 * Creates a set of holds.
	 * @param progressTimeoutNanos how long the producer waits for a consumer without
	 * progress
	 */
	Holds(long progressTimeoutNanos) {
		this.progressTimeoutNanos = progressTimeoutNanos;
	}

	boolean isEmpty() {
		return this.empty;
	}

	/** Handles a request for a record and all later records. */
	void requested(Bytes consumer, ProducerPartition partition, long sequence, long now) {
		Map<Bytes, Hold> consumers = this.holds.getOrDefault(partition, Map.of());
		Hold hold = consumers.get(consumer);
		if (hold == null && sequence < partition.earlierFirst()) {
			// Not held: the record was evicted too long ago to be in transit.
			return;
		}
		if (hold == null && this.size >= MAX) {
			reportOverflow(now);
			hold = this.overflow;
		}
		else if (hold == null) {
			hold = new Hold();
			this.holds.computeIfAbsent(partition, (absent) -> new HashMap<>()).put(consumer, hold);
			this.size++;
		}
		hold.requested((hold != this.overflow) ? Math.min(sequence, partition.next()) : 0, now);
		this.empty = false;
	}

	/**
	 * Returns the first record to keep; {@link Long#MAX_VALUE} if consumers need none.
	 * Reports consumers without progress.
	 */
	long first(ProducerPartition partition, long now) {
		long first = isHolding(this.overflow, now) ? partition.first() : Long.MAX_VALUE;
		for (Hold hold : this.holds.getOrDefault(partition, Map.of()).values()) {
			if (isHolding(hold, now)) {
				first = Math.min(first, hold.first);
			}
			else if (hold.isRequested(now) && !hold.abandoned) {
				hold.abandoned = true;
				reportAbandoned(partition, hold, now);
			}
		}
		return first;
	}

	/**
	 * Returns the first record that any consumer requests; {@link Long#MAX_VALUE} if
	 * there is none. Includes consumers without progress.
	 */
	long requestedFrom(ProducerPartition partition, long now) {
		long first = this.overflow.isRequested(now) ? partition.first() : Long.MAX_VALUE;
		for (Hold hold : this.holds.getOrDefault(partition, Map.of()).values()) {
			first = hold.isRequested(now) ? Math.min(first, hold.first) : first;
		}
		return first;
	}

	private boolean isHolding(Hold hold, long now) {
		return hold.isRequested(now) && now - hold.progressAt < this.progressTimeoutNanos;
	}

	private void reportAbandoned(ProducerPartition partition, Hold hold, long now) {
		this.warnings.warn(logger, now,
				"A consumer has made no progress with {} at record {} for {} ms, ten times 'stallTimeout'. The"
						+ " producer continues without it, and the consumer may lose records",
				partition.names, hold.first, TimeUnit.NANOSECONDS.toMillis(this.progressTimeoutNanos));
	}

	private void reportOverflow(long now) {
		this.warnings.warn(logger, now,
				"More than {} consumers, counted for each topic, are behind. The producer keeps all records for"
						+ " at most {} ms, then these consumers may lose records. Use a store, or fewer topics or"
						+ " consumers for each producer",
				MAX, TimeUnit.NANOSECONDS.toMillis(this.progressTimeoutNanos));
	}

	/** Removes consumers that have not sent a request recently. */
	void expire(long now) {
		if (now - this.sweptAt < SWEEP_NANOS && this.sweptAt != 0) {
			return;
		}
		this.sweptAt = now;
		boolean requested = this.overflow.isRequested(now);
		if (now - this.overflow.requestedAt >= MEMORY_NANOS) {
			this.overflow.first = -1;
		}
		long memory = (this.size < MAX) ? MEMORY_NANOS : VALID_NANOS;
		for (Iterator<Map<Bytes, Hold>> partitions = this.holds.values().iterator(); partitions.hasNext();) {
			Map<Bytes, Hold> consumers = partitions.next();
			for (Iterator<Hold> each = consumers.values().iterator(); each.hasNext();) {
				Hold hold = each.next();
				requested = requested || hold.isRequested(now);
				if (now - hold.requestedAt >= memory) {
					each.remove();
					this.size--;
				}
			}
			if (consumers.isEmpty()) {
				partitions.remove();
			}
		}
		this.empty = !requested;
	}

	/** A consumer's requests for one partition. */
	private static final class Hold {

		/** Latest requested record; {@code -1} before any request. */
		private long first = -1;

		private long requestedAt;

		/** Time when {@code first} last advanced. */
		private long progressAt;

		/** Whether the lack of progress was reported. */
		private boolean abandoned;

		void requested(long first, long now) {
			this.requestedAt = now;
			if (first > this.first) {
				this.first = first;
				this.progressAt = now;
				this.abandoned = false;
			}
		}

		boolean isRequested(long now) {
			return this.first >= 0 && now - this.requestedAt < VALID_NANOS;
		}

	}

}
