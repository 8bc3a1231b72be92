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
import io.statestore.dafka.consumer.ConsumerMachine.ReadPartition;
import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.dafka.reading.internal.PartitionLimit;
import org.jspecify.annotations.Nullable;

/**
 * Partitions of a consumer. A partition that was read completely and has been inactive
 * for a minute is reduced to its offset, so that only live partitions count toward the
 * limit. Once the limit is reached, completely read partitions are reduced immediately.
 * Modified by one thread; any thread may read.
 */
final class Partitions {

	private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final long SWEEP_AT_LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final PartitionLimit limit;

	/** Creates a partition from its key and first offset. */
	private final BiFunction<PartitionKey, Long, ReadPartition> opener;

	/** Called for each partition that is no longer live. */
	private final Consumer<ReadPartition> removed;

	/** Initial offset of new partitions, negative to read new records only. */
	private final long beginning;

	private final Map<PartitionKey, ReadPartition> live = new ConcurrentHashMap<>();

	/** Next offsets of inactive partitions that were read completely. */
	private final Map<PartitionKey, Long> finished = new ConcurrentHashMap<>();

	/** Offsets from earlier runs for partitions without a message in this run. */
	private final Map<PartitionKey, Long> stored = new HashMap<>();

	/** Totals for the partitions that are reduced to their offsets. */
	final LongAdder finishedRecords = new LongAdder();

	final LongAdder finishedOverflows = new LongAdder();

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

	Collection<ReadPartition> live() {
		return this.live.values();
	}

	/** Returns the next offset of each partition that was read completely. */
	Map<PartitionKey, Long> finished() {
		return this.finished;
	}

	/** Returns a partition, or {@code null} if it is not live. */
	@Nullable ReadPartition find(PartitionKey key) {
		return this.live.get(key);
	}

	/**
	 * Returns the partition of records in a store. If the partition is new, its stored
	 * records are read only if the consumer has an initial offset for it.
	 * @return the partition, or {@code null} if there is nothing to read or the limit is
	 * reached
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

	/**
	 * Returns a partition, creating it if necessary; {@code null} if the limit is
	 * reached.
	 */
	@Nullable ReadPartition open(PartitionKey key, long now) {
		ReadPartition partition = this.live.get(key);
		if (partition == null) {
			if (this.limit.isReached(this.live.size()) && now - this.sweptAt >= SWEEP_AT_LIMIT_NANOS) {
				sweep(true, now);
			}
			if (!this.limit.admits(this.live.size(), this.live.size() + this.finished.size(), key, now)) {
				return null;
			}
			partition = getOrCreate(key);
		}
		partition.heardAt = now;
		return partition;
	}

	/**
	 * Returns a partition, creating it if necessary, even if the limit is then exceeded.
	 */
	ReadPartition getOrCreate(PartitionKey key) {
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

	/** Reduces inactive partitions to their offsets, at most every ten seconds. */
	void sweep(long now) {
		if (now - this.sweptAt >= SWEEP_NANOS) {
			sweep(false, now);
		}
	}

	private void sweep(boolean atLimit, long now) {
		this.sweptAt = now;
		for (Iterator<ReadPartition> each = this.live.values().iterator(); each.hasNext();) {
			ReadPartition partition = each.next();
			boolean inactive = now - partition.heardAt >= IDLE_NANOS;
			boolean finished = partition.isFinished();
			if (finished && (inactive || atLimit)) {
				this.finished.put(partition.key, partition.reader.next());
				this.finishedRecords.add(partition.reader.next());
			}
			// A partition without records might not exist: a peer may have invented it.
			else if (!(inactive && atLimit && partition.isUnread())) {
				continue;
			}
			each.remove();
			partition.reader.close();
			this.finishedOverflows.add(partition.reader.overflows());
			this.removed.accept(partition);
		}
	}

}
