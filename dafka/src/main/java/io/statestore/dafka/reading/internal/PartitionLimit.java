package io.statestore.dafka.reading.internal;

import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.internal.WarningLimit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the memory that peers can claim with invented partitions. Partitions in use
 * count against {@code maxPartitions}. Remembered partitions count against a quarter of
 * the heap. Used by one thread; any thread may read the counter. Internal: not part of
 * the API.
 */
public final class PartitionLimit {

	private static final Logger logger = LoggerFactory.getLogger(PartitionLimit.class);

	/** Maximum heap of a remembered partition. */
	private static final int REMEMBERED_BYTES = 512;

	private final int max;

	private final long maxRemembered;

	private final LongAdder refused = new LongAdder();

	private final WarningLimit warnings = new WarningLimit();

	/**
	 * Creates a limit in proportion to the heap.
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
	}

	/**
	 * Returns whether the maximum of partitions in use is reached.
	 * @param live number of partitions in use
	 * @return whether no further partition may be used
	 */
	public boolean isReached(int live) {
		return live >= this.max;
	}

	/**
	 * Returns whether the maximum of partitions in memory is reached.
	 * @param all number of all partitions in memory
	 * @return whether no further partition may be added
	 */
	public boolean isFull(int all) {
		return all >= this.maxRemembered;
	}

	/**
	 * Returns whether another partition is admitted. Otherwise, counts a dropped message.
	 * @param live number of partitions in use
	 * @param all number of all partitions in memory
	 * @param partition the partition
	 * @param now the time in nanoseconds
	 * @return whether the partition is admitted
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

	/**
	 * Returns the number of dropped messages.
	 * @return number of messages since the start
	 */
	public long refused() {
		return this.refused.sum();
	}

}
