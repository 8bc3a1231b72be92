package io.statestore.dafka.consumer;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.function.Consumer;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.node.PartitionLimit;
import io.statestore.dafka.wire.PartitionKey;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of a consumer. A partition that is read completely, and of which nothing
 * was heard for a minute, is reduced to its offset, so that only live ones count against
 * the limit. At the limit it need not be silent. For one thread, but any may read.
 */
final class Partitions {

	private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final long SWEEP_AT_LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final PartitionLimit limit;

	private final BiFunction<PartitionKey, Long, ReadPartition> opener;

	private final Consumer<ReadPartition> removed;

	/** Offset of partitions without one; negative for what is published from now on. */
	private final long beginning;

	private final Map<PartitionKey, ReadPartition> live = new ConcurrentHashMap<>();

	/** Offsets of partitions that are read completely. */
	private final Map<PartitionKey, Long> finished = new ConcurrentHashMap<>();

	/** Offsets of earlier runs of which nothing was heard yet. */
	private final Map<PartitionKey, Long> stored = new HashMap<>();

	private final LongAdder finishedRecords = new LongAdder();

	private final LongAdder finishedDuplicates = new LongAdder();

	private final LongAdder finishedOverflows = new LongAdder();

	private long sweptAt;

	Partitions(Map<TopicPartition, Long> stored, long beginning, PartitionLimit limit,
			BiFunction<PartitionKey, Long, ReadPartition> opener, Consumer<ReadPartition> removed, long now) {
		this.limit = limit;
		this.beginning = beginning;
		this.opener = opener;
		this.removed = removed;
		this.sweptAt = now;
		stored.forEach((names, next) -> this.stored.put(new PartitionKey(
				Bytes.wrap(names.partition().getBytes(StandardCharsets.ISO_8859_1)), Bytes.of(names.topic())), next));
	}

	/** Returns the partitions that are not reduced to an offset. */
	Collection<ReadPartition> live() {
		return this.live.values();
	}

	/** Returns the offsets of all others, the next record each. */
	Map<PartitionKey, Long> finished() {
		return this.finished;
	}

	long finishedRecords() {
		return this.finishedRecords.sum();
	}

	long finishedDuplicates() {
		return this.finishedDuplicates.sum();
	}

	long finishedOverflows() {
		return this.finishedOverflows.sum();
	}

	/** Returns the partition if it is live. */
	@Nullable ReadPartition find(PartitionKey key) {
		return this.live.get(key);
	}

	/**
	 * Returns the partition of a record that a store has, or {@code null} if there is
	 * nothing to read, or too many partitions. What was stored before the join is read
	 * only from the earliest record or a kept offset on.
	 */
	@Nullable ReadPartition openStored(PartitionKey key, long head, long now) {
		ReadPartition partition = this.live.get(key);
		Long finished = this.finished.get(key);
		boolean news;
		if (partition != null) {
			news = head >= partition.reader.next();
		}
		else if (finished != null) {
			news = head >= finished;
		}
		else {
			news = this.beginning >= 0 || this.stored.containsKey(key);
		}
		return news ? open(key, now) : null;
	}

	/** Returns the partition, or {@code null} if there are too many. */
	@Nullable ReadPartition open(PartitionKey key, long now) {
		ReadPartition partition = this.live.get(key);
		if (partition == null) {
			if (this.limit.isReached(this.live.size()) && now - this.sweptAt >= SWEEP_AT_LIMIT_NANOS) {
				sweep(true, now);
			}
			if (!this.limit.admits(this.live.size(), this.live.size() + this.finished.size(), key, now)) {
				return null;
			}
			partition = make(key);
		}
		partition.heardAt = now;
		return partition;
	}

	/** Returns the partition, although there may be too many. */
	ReadPartition make(PartitionKey key) {
		return this.live.computeIfAbsent(key, (absent) -> {
			Long finished = this.finished.remove(key);
			Long stored = this.stored.remove(key);
			if (finished != null) {
				this.finishedRecords.add(-finished);
			}
			return this.opener.apply(key,
					(finished != null) ? finished : (stored != null) ? stored : Long.valueOf(this.beginning));
		});
	}

	/** Reduces partitions to their offsets now and then. */
	void sweep(long now) {
		if (now - this.sweptAt >= SWEEP_NANOS) {
			sweep(false, now);
		}
	}

	private void sweep(boolean atLimit, long now) {
		this.sweptAt = now;
		for (Iterator<ReadPartition> each = this.live.values().iterator(); each.hasNext();) {
			ReadPartition partition = each.next();
			boolean silent = now - partition.heardAt >= IDLE_NANOS;
			boolean finished = partition.isFinished();
			if (finished && (silent || atLimit)) {
				this.finished.put(partition.key(), partition.reader.next());
				this.finishedRecords.add(partition.reader.next());
			}
			// A partition that never gave a record may be made up.
			else if (!(silent && atLimit && partition.isUnread())) {
				continue;
			}
			each.remove();
			partition.reader.close();
			this.finishedDuplicates.add(partition.reader.duplicates());
			this.finishedOverflows.add(partition.reader.overflows());
			this.removed.accept(partition);
		}
	}

}
