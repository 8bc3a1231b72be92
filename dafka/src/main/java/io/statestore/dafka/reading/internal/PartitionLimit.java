package io.statestore.dafka.reading.internal;

import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.internal.WarningLimit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the memory that peers can claim with invented partitions. Partitions in use
 * count against {@code maxPartitions}. Remembered partitions count against a quarter of
 * the heap. Used by one thread; any thread may call {@link #refused}. Internal: not part
 * of the API.
 */
public final class PartitionLimit {

	private static final Logger logger = LoggerFactory.getLogger(PartitionLimit.class);

	/** Maximum heap usage of a remembered partition, in bytes. */
	private static final int REMEMBERED_BYTES = 512;

	private final int max;

	private final long maxRemembered;

	private final LongAdder refused = new LongAdder();

	private final WarningLimit warnings = new WarningLimit();

	/**
	 * Creates a limit for remembered partitions that is proportional to the heap.
	 * @param max the {@code maxPartitions} option
	 */
	public PartitionLimit(int max) {
		this(max, Math.max(max, Runtime.getRuntime().maxMemory() / 4 / REMEMBERED_BYTES));
	}

	/**
	 * Creates a limit that does not depend on the heap.
	 * @param max the {@code maxPartitions} option
	 * @param maxRemembered maximum number of partitions in memory, including those in use
	 */
	public PartitionLimit(int max, long maxRemembered) {
		this.max = max;
		this.maxRemembered = maxRemembered;
	}

	/**
	 * Returns whether the maximum number of partitions in use is reached.
	 * @param live number of partitions in use
	 * @return {@code true} if no more partitions may be used
	 */
	public boolean isReached(int live) {
		return live >= this.max;
	}

	/**
	 * Returns whether the maximum number of partitions in memory is reached.
	 * @param all number of partitions in memory
	 * @return {@code true} if no more partitions may be added
	 */
	public boolean isFull(int all) {
		return all >= this.maxRemembered;
	}

	/**
	 * Decides whether to admit another partition. If not, counts a dropped message.
	 * @param live number of partitions in use
	 * @param all number of partitions in memory
	 * @param partition partition to admit, named in the warning
	 * @param now current time in nanoseconds
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
	 * @return number since this limit was created
	 */
	public long refused() {
		return this.refused.sum();
	}

}
