package io.statestore.dafka.node;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the memory that others can claim by making up partitions. For one thread, but
 * any may ask for the count.
 */
public final class PartitionLimit {

	private static final Logger logger = LoggerFactory.getLogger(PartitionLimit.class);

	private static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final int max;

	private final LongAdder refused = new LongAdder();

	private long warnAt;

	/** Option {@code maxPartitions} of a builder. */
	public PartitionLimit(int max, long now) {
		this.max = max;
		this.warnAt = now;
	}

	/** Whether there may be one more than those that are known; if not, it is counted. */
	public boolean admits(int known, Object partition, long now) {
		if (known < this.max) {
			return true;
		}
		this.refused.increment();
		if (now - this.warnAt >= 0) {
			this.warnAt = now + WARNING_NANOS;
			logger.warn("What comes of {} is dropped, because {} partitions are known: find out who makes up so many,"
					+ " or raise 'maxPartitions'. Dropped until now: {}", partition, known, this.refused.sum());
		}
		return false;
	}

	/** Messages that were dropped. */
	public long refused() {
		return this.refused.sum();
	}

}
