package io.statestore.dafka.node;

import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.wire.PartitionKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the memory that peers can claim by making up partitions. Partitions in use count
 * against {@code maxPartitions}. Partitions that are only remembered count against a
 * quarter of the heap. For one thread, but any may read the counter.
 */
public final class PartitionLimit {

	private static final Logger logger = LoggerFactory.getLogger(PartitionLimit.class);

	/** Heap that a remembered partition takes, rounded up. */
	private static final int REMEMBERED_BYTES = 512;

	private final int max;

	private final long maxRemembered;

	private final LongAdder refused = new LongAdder();

	private final WarningLimit warnings;

	/**
	 * Creates a limit.
	 * @param max option {@code maxPartitions} of a builder
	 */
	public PartitionLimit(int max) {
		this(max, Math.max(max, Runtime.getRuntime().maxMemory() / 4 / REMEMBERED_BYTES));
	}

	/**
	 * Creates a limit that does not depend on the heap.
	 * @param max option {@code maxPartitions} of a builder
	 * @param maxRemembered maximum number of all partitions in memory
	 */
	public PartitionLimit(int max, long maxRemembered) {
		this.max = max;
		this.maxRemembered = maxRemembered;
		this.warnings = new WarningLimit();
	}

	/**
	 * Returns whether the maximum is reached.
	 * @param live number of partitions in use
	 * @return whether no further partition may be used
	 */
	public boolean isReached(int live) {
		return live >= this.max;
	}

	/**
	 * Returns whether there are as many partitions in memory as there may be.
	 * @param all number of all partitions in memory
	 */
	public boolean isFull(int all) {
		return all >= this.maxRemembered;
	}

	/**
	 * Returns whether one more partition is admitted. A refused message is counted.
	 * @param live number of partitions in use
	 * @param all number of all partitions in memory
	 * @param partition the partition
	 * @param now the time
	 */
	public boolean admits(int live, int all, PartitionKey partition, long now) {
		if (!isReached(live) && !isFull(all)) {
			return true;
		}
		this.refused.increment();
		if (this.warnings.permits(now)) {
			logger.warn("Dropping messages of {}: {} partitions are in use, at most {} ('maxPartitions'), and {} are"
					+ " remembered, at most {} (a quarter of the heap). Find their producers, or raise the limit."
					+ " Dropped until now: {}", partition.names(), live, this.max, all, this.maxRemembered,
					this.refused.sum());
		}
		return false;
	}

	/** Returns the number of dropped messages. */
	public long refused() {
		return this.refused.sum();
	}

}
