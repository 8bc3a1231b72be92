package io.statestore.dafka.store;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.dafka.reading.internal.PartitionLimit;
import org.jspecify.annotations.Nullable;

/**
 * Live partitions of a store. Only they count toward the limit. A partition is removed
 * after a minute of inactivity, or after five seconds once the limit is reached. Its
 * records stay in the {@link RecordLog}. If memory is exhausted, inactive partitions
 * without records are removed from the log, too. Not thread-safe.
 */
final class LivePartitions {

	private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final long IDLE_AT_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final long SWEEP_AT_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final RecordLog log;

	private final PartitionLimit limit;

	private final Function<StoredPartition, StorePartition> opener;

	private final Consumer<StorePartition> removed;

	private final Consumer<List<StoredPartition>> discarded;

	private final Runnable flush;

	private final Map<PartitionKey, StorePartition> partitions = new HashMap<>();

	private long sweptAt;

	private long discardedAt;

	/**
	 * Creates an empty set of partitions.
	 * @param opener creates a partition
	 * @param removed called with each removed partition
	 * @param discarded called with partitions removed from the log
	 * @param flush writes appended records, before partitions are removed
	 */
	LivePartitions(RecordLog log, PartitionLimit limit, Function<StoredPartition, StorePartition> opener,
			Consumer<StorePartition> removed, Consumer<List<StoredPartition>> discarded, Runnable flush, long now) {
		this.log = log;
		this.limit = limit;
		this.opener = opener;
		this.removed = removed;
		this.discarded = discarded;
		this.flush = flush;
		this.sweptAt = now;
		this.discardedAt = now - SWEEP_AT_LIMIT_NANOS;
	}

	/** Returns a partition, or {@code null} if it is not live. */
	@Nullable StorePartition find(PartitionKey key) {
		return this.partitions.get(key);
	}

	/**
	 * Returns a partition, which becomes live if necessary, or {@code null} if the limit
	 * is reached.
	 */
	@Nullable StorePartition open(PartitionKey key, long now) {
		StorePartition partition = this.partitions.get(key);
		if (partition == null) {
			if (this.limit.isReached(this.partitions.size()) && now - this.sweptAt >= SWEEP_AT_LIMIT_NANOS) {
				sweep(true, now);
			}
			if (this.limit.isFull(this.log.partitions().size()) && now - this.discardedAt >= SWEEP_AT_LIMIT_NANOS) {
				this.discardedAt = now;
				this.discarded.accept(this.log.removeEmpty((stored) -> this.partitions.containsKey(stored.key())));
			}
			if (!this.limit.admits(this.partitions.size(), this.log.partitions().size(), key, now)) {
				return null;
			}
			partition = this.opener.apply(this.log.partition(key));
			this.partitions.put(key, partition);
		}
		partition.heardAt = now;
		return partition;
	}

	/** Removes inactive partitions, at most every ten seconds. */
	void sweep(long now) {
		if (now - this.sweptAt >= SWEEP_NANOS) {
			sweep(false, now);
		}
	}

	private void sweep(boolean atLimit, long now) {
		this.sweptAt = now;
		this.flush.run();
		for (Iterator<StorePartition> each = this.partitions.values().iterator(); each.hasNext();) {
			StorePartition partition = each.next();
			if (isIdle(partition, atLimit, now)) {
				each.remove();
				partition.reader.close();
				this.log.discard(partition.stored);
				this.removed.accept(partition);
			}
		}
	}

	/**
	 * Returns whether a partition may be removed. A partition with a gap is kept longer,
	 * until another store announces its records again.
	 */
	private boolean isIdle(StorePartition partition, boolean atLimit, long now) {
		long silent = now - partition.heardAt;
		if (partition.acknowledging || silent < IDLE_AT_LIMIT_NANOS) {
			return false;
		}
		return partition.reader.isWaiting() ? atLimit && silent >= IDLE_NANOS : atLimit || silent >= IDLE_NANOS;
	}

}
