package io.statestore.dafka.store;

import java.util.Map;
import java.util.TreeMap;

import io.statestore.dafka.reading.internal.ReadingMachine;
import org.jspecify.annotations.Nullable;

/** Live partition of a store, with its written records. */
abstract class StorePartition extends ReadingMachine.Partition {

	private static final int MAX_RANGES = 64;

	final StoredPartition stored;

	/** Whether an acknowledgment is due. */
	boolean acknowledging;

	/** Whether consumers receive this partition's head on request. */
	boolean announced;

	/** Time when another store last announced records that are missing here. */
	long announcedAt;

	/**
	 * Records that were declared lost most recently, to recognize them if they arrive
	 * late. Maps the first record of each range to its last record; {@code null} if there
	 * are none.
	 */
	private @Nullable TreeMap<Long, Long> lost;

	StorePartition(ReadingMachine<?> machine, StoredPartition stored, long now) {
		super(machine, stored.key(), stored.next(), now);
		this.stored = stored;
		this.announced = stored.next() > 0;
		// In the past, so that it does not count as an announcement.
		this.announcedAt = now - 1;
	}

	/** Adds lost records, which must follow all earlier lost records. */
	void addLost(long first, long last) {
		TreeMap<Long, Long> lost = (this.lost != null) ? this.lost : new TreeMap<>();
		this.lost = lost;
		Map.Entry<Long, Long> before = lost.lastEntry();
		boolean adjacent = before != null && before.getValue() == first - 1;
		lost.put(adjacent ? lost.lastKey() : first, last);
		if (lost.size() > MAX_RANGES) {
			lost.pollFirstEntry();
		}
	}

	boolean isLost(long sequence) {
		Map.Entry<Long, Long> range = (this.lost != null) ? this.lost.floorEntry(sequence) : null;
		return range != null && sequence <= range.getValue();
	}

}
