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
 * The records that consumers still need, without acknowledgments. A consumer that is
 * behind requests its next record again and again, and the producer keeps the records
 * from there on, so that it slows down to the consumer. A consumer that makes no progress
 * for too long is not waited for. For the thread of the producer; any may read
 * {@link #isEmpty}.
 */
final class Holds {

	private static final Logger logger = LoggerFactory.getLogger(Holds.class);

	/** Time for which a request counts. */
	private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final int MAX = 1_000;

	private final long patienceNanos;

	private final Map<Key, Hold> holds = new HashMap<>();

	private final WarningLimit warnings;

	private volatile boolean empty = true;

	/**
	 * Creates a set of holds.
	 * @param patienceNanos time without progress after which a consumer is not waited for
	 */
	Holds(long patienceNanos) {
		this.patienceNanos = patienceNanos;
		this.warnings = new WarningLimit();
	}

	boolean isEmpty() {
		return this.empty;
	}

	/** A consumer or store requested records from a number on. */
	void requested(Bytes consumer, Lane lane, long sequence, long now) {
		Key key = new Key(consumer, lane);
		Hold hold = this.holds.get(key);
		if (hold == null && this.holds.size() < MAX) {
			this.holds.put(key, new Hold(sequence, now));
			this.empty = false;
		}
		else if (hold != null) {
			hold.requested(sequence, now);
		}
	}

	/**
	 * Returns the lowest record that is needed, or the highest number if there is none.
	 */
	long first(Lane lane, long now) {
		long first = Long.MAX_VALUE;
		for (Map.Entry<Key, Hold> entry : this.holds.entrySet()) {
			Hold hold = entry.getValue();
			if (entry.getKey().lane() == lane && now - hold.progressAt < this.patienceNanos) {
				first = Math.min(first, hold.first);
			}
			else if (entry.getKey().lane() == lane && !hold.abandoned) {
				hold.abandoned = true;
				warn(entry.getKey(), hold, now);
			}
		}
		return first;
	}

	private void warn(Key key, Hold hold, long now) {
		if (this.warnings.permits(now)) {
			logger.warn(
					"A consumer makes no progress with {} at record {} for {} ms, ten times 'stallTimeout': the producer"
							+ " continues without it, and the consumer may lose records. Similar messages left out: {}",
					key.lane().names, hold.first, TimeUnit.NANOSECONDS.toMillis(this.patienceNanos),
					this.warnings.suppressed());
		}
	}

	/** Removes what was not requested for a while. */
	void expire(long now) {
		for (Iterator<Hold> each = this.holds.values().iterator(); each.hasNext();) {
			if (now - each.next().requestedAt >= VALID_NANOS) {
				each.remove();
			}
		}
		this.empty = this.holds.isEmpty();
	}

	private record Key(Bytes consumer, Lane lane) {
	}

	private static final class Hold {

		private long first;

		private long requestedAt;

		/** When the first record changed. */
		private long progressAt;

		private boolean abandoned;

		Hold(long first, long now) {
			this.first = first;
			this.requestedAt = now;
			this.progressAt = now;
		}

		void requested(long first, long now) {
			this.requestedAt = now;
			if (first > this.first) {
				this.first = first;
				this.progressAt = now;
				this.abandoned = false;
			}
		}

	}

}
