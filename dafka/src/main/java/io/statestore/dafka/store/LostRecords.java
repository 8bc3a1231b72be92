package io.statestore.dafka.store;

import java.util.Map;
import java.util.TreeMap;

/**
 * The latest records of a partition that were declared lost, to recognize those that
 * arrive late. For one thread.
 */
final class LostRecords {

	private static final int MAX_RANGES = 64;

	/** Last record of each range, by its first one. */
	private final TreeMap<Long, Long> ranges = new TreeMap<>();

	/** Adds a range behind all others. */
	void add(long first, long last) {
		Map.Entry<Long, Long> before = this.ranges.lastEntry();
		boolean adjacent = before != null && before.getValue() == first - 1;
		this.ranges.put(adjacent ? this.ranges.lastKey() : first, last);
		if (this.ranges.size() > MAX_RANGES) {
			this.ranges.pollFirstEntry();
		}
	}

	boolean contains(long sequence) {
		Map.Entry<Long, Long> range = this.ranges.floorEntry(sequence);
		return range != null && sequence <= range.getValue();
	}

}
