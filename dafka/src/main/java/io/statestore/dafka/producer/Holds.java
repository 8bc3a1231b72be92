package io.statestore.dafka.producer;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.node.WarningLimit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records that consumers still need, for producers without acknowledgments. A consumer
 * that is behind requests its next record repeatedly. The producer keeps the records from
 * there on, and so slows down to the consumer. It stops waiting for a consumer without
 * progress, and a pause of that consumer does not restart the wait. If there are too many
 * requests to remember, all records are kept. Used by the thread of the producer; any
 * thread may call {@link #isEmpty}.
 */
final class Holds {

	/** Maximum number of remembered consumers, counted once for each topic. */
	static final int MAX = 10_000;

	private static final Logger logger = LoggerFactory.getLogger(Holds.class);

	/** Time for which a request is valid. */
	private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Time for which the progress of a consumer is remembered after its last request. */
	private static final long MEMORY_NANOS = TimeUnit.MINUTES.toNanos(5);

	private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final long patienceNanos;

	private final Map<Lane, Map<Bytes, Hold>> holds = new HashMap<>();

	private final WarningLimit warnings;

	private int size;

	/** Stands for the requests of all consumers beyond the maximum. */
	private final Hold overflow = new Hold();

	private long sweptAt;

	private volatile boolean empty = true;

	/**
	 * Creates a set of holds.
	 * @param patienceNanos time without progress after which the producer stops waiting
	 * for a consumer
	 */
	Holds(long patienceNanos) {
		this.patienceNanos = patienceNanos;
		this.warnings = new WarningLimit();
	}

	boolean isEmpty() {
		return this.empty;
	}

	/** Handles a request for records, starting with a sequence number. */
	void requested(Bytes consumer, Lane lane, long sequence, long now) {
		Map<Bytes, Hold> consumers = this.holds.getOrDefault(lane, Map.of());
		Hold hold = consumers.get(consumer);
		if (hold == null && sequence < lane.firstOfLate()) {
			// Evicted long before. Recently evicted records may still be in transit.
			return;
		}
		if (hold == null && this.size >= MAX) {
			overflow(now);
			hold = this.overflow;
		}
		else if (hold == null) {
			hold = new Hold();
			this.holds.computeIfAbsent(lane, (absent) -> new HashMap<>()).put(consumer, hold);
			this.size++;
		}
		hold.requested((hold != this.overflow) ? Math.min(sequence, lane.next()) : 0, now);
		this.empty = false;
	}

	/**
	 * Returns the first record to keep, or {@link Long#MAX_VALUE} if none is needed.
	 */
	long first(Lane lane, long now) {
		long first = isHolding(this.overflow, now) ? lane.first() : Long.MAX_VALUE;
		for (Hold hold : this.holds.getOrDefault(lane, Map.of()).values()) {
			if (isHolding(hold, now)) {
				first = Math.min(first, hold.first);
			}
			else if (hold.isRequested(now) && !hold.abandoned) {
				hold.abandoned = true;
				abandon(lane, hold, now);
			}
		}
		return first;
	}

	/**
	 * Returns the lowest record that a consumer requests, or the highest number if there
	 * is none. Consumers without progress count, too.
	 */
	long requestedFrom(Lane lane, long now) {
		long first = this.overflow.isRequested(now) ? lane.first() : Long.MAX_VALUE;
		for (Hold hold : this.holds.getOrDefault(lane, Map.of()).values()) {
			first = hold.isRequested(now) ? Math.min(first, hold.first) : first;
		}
		return first;
	}

	private boolean isHolding(Hold hold, long now) {
		return hold.isRequested(now) && now - hold.progressAt < this.patienceNanos;
	}

	private void abandon(Lane lane, Hold hold, long now) {
		if (this.warnings.permits(now)) {
			logger.warn(
					"A consumer makes no progress with {} at record {} for {} ms, ten times 'stallTimeout': the producer"
							+ " continues without it, and the consumer may lose records. Similar messages left out: {}",
					lane.names, hold.first, TimeUnit.NANOSECONDS.toMillis(this.patienceNanos),
					this.warnings.suppressed());
		}
	}

	private void overflow(long now) {
		if (this.warnings.permits(now)) {
			logger.warn(
					"More than {} consumers, counted for each topic, are behind: the producer keeps all records for"
							+ " {} ms at most, then those consumers may lose records. Use a store, or fewer topics or"
							+ " consumers for each producer. Similar messages left out: {}",
					MAX, TimeUnit.NANOSECONDS.toMillis(this.patienceNanos), this.warnings.suppressed());
		}
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
		for (Iterator<Map<Bytes, Hold>> lanes = this.holds.values().iterator(); lanes.hasNext();) {
			Map<Bytes, Hold> consumers = lanes.next();
			for (Iterator<Hold> each = consumers.values().iterator(); each.hasNext();) {
				Hold hold = each.next();
				requested = requested || hold.isRequested(now);
				if (now - hold.requestedAt >= memory) {
					each.remove();
					this.size--;
				}
			}
			if (consumers.isEmpty()) {
				lanes.remove();
			}
		}
		this.empty = !requested;
	}

	private static final class Hold {

		private long first = -1;

		private long requestedAt;

		/** Time when the first record last advanced. */
		private long progressAt;

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
