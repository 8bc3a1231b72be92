package io.statestore.dafka.store;

import java.util.Map;
import java.util.TreeMap;

/**
 * Latest records of a partition that were declared lost, to recognize them if they arrive
 * late. Not thread-safe.
 */
final class LostRecords {

	private static final int MAX_RANGES = 64;

	/** Last record of each range by its first record. */
	private final TreeMap<Long, Long> ranges = new TreeMap<>();

	/** Adds a range after all others. */
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
