package io.statestore.dafka.consumer;

import java.util.HashMap;
import java.util.Map;

import io.statestore.dafka.Ticker;
import io.statestore.dafka.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Offsets that are still to be saved, and the times to save them. Not thread-safe. */
final class OffsetCommits {

	private static final Logger logger = LoggerFactory.getLogger(OffsetCommits.class);

	private final OffsetStore offsets;

	private final long intervalNanos;

	private final Ticker ticker;

	private final Map<TopicPartition, Long> uncommitted = new HashMap<>();

	/** Partition of the latest offset, which is not in the map yet. */
	private @Nullable TopicPartition latest;

	private long latestNext;

	private long committedAt;

	/**
	 * Creates an instance without offsets.
	 * @param offsets where offsets are saved
	 * @param intervalNanos interval between saves, in nanoseconds
	 * @param ticker the clock
	 */
	OffsetCommits(OffsetStore offsets, long intervalNanos, Ticker ticker) {
		this.offsets = offsets;
		this.intervalNanos = intervalNanos;
		this.ticker = ticker;
		this.committedAt = ticker.nanos();
	}

	/** Sets the next offset of a partition. */
	void add(TopicPartition partition, long next) {
		// The map is not touched for each record of a partition.
		if (partition != this.latest) {
			addLatest();
			this.latest = partition;
		}
		this.latestNext = next;
	}

	private void addLatest() {
		if (this.latest != null) {
			this.uncommitted.put(this.latest, this.latestNext);
			this.latest = null;
		}
	}

	/** Saves the offsets if the interval has passed. */
	void commitIfDue() {
		if (this.ticker.nanos() - this.committedAt >= this.intervalNanos) {
			commit();
		}
	}

	/** Saves the offsets. If that fails, they are saved the next time. */
	void commit() {
		this.committedAt = this.ticker.nanos();
		addLatest();
		if (this.uncommitted.isEmpty()) {
			return;
		}
		try {
			this.offsets.save(Map.copyOf(this.uncommitted));
			this.uncommitted.clear();
		}
		catch (RuntimeException ex) {
			logger.error("Failed to save offsets; records may be delivered again after a restart", ex);
		}
	}

}
