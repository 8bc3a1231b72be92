package io.statestore.dafka.store;

import java.util.Map;
import java.util.TreeMap;

import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.dafka.reading.internal.PartitionReader;
import io.statestore.dafka.reading.internal.ReadingMachine;
import org.jspecify.annotations.Nullable;

/** Live partition of a store: the reader that completes it, and its written records. */
final class StorePartition implements ReadingMachine.Partition {

	private static final int MAX_RANGES = 64;

	final StoredPartition stored;

	final PartitionReader reader;

	/** Whether an acknowledgment is to be sent. */
	boolean acknowledging;

	/** Whether consumers receive its head on request. */
	boolean announced;

	/** Time when the latest record or head arrived. */
	long heardAt;

	/** Time when the latest record or head from its producer arrived. */
	long producerAt;

	/** Time when another store last announced records that are missing here. */
	long announcedAt;

	/**
	 * Latest records that were declared lost, to recognize them if they arrive late: the
	 * last record of each range by its first record; {@code null} if there are none.
	 */
	private @Nullable TreeMap<Long, Long> lost;

	/**
	 * Creates a partition that becomes live.
	 * @param producerAt a time so long ago that its producer does not count as running
	 * @param announcedAt a time before now, which does not count as an announcement
	 */
	StorePartition(StoredPartition stored, PartitionReader reader, long producerAt, long announcedAt) {
		this.stored = stored;
		this.reader = reader;
		this.producerAt = producerAt;
		this.announcedAt = announcedAt;
		this.announced = stored.next() > 0;
	}

	@Override
	public PartitionKey key() {
		return this.stored.key();
	}

	@Override
	public PartitionReader reader() {
		return this.reader;
	}

	/** Adds lost records after all others. */
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

	/** Returns whether a record was declared lost. */
	boolean isLost(long sequence) {
		Map.Entry<Long, Long> range = (this.lost != null) ? this.lost.floorEntry(sequence) : null;
		return range != null && sequence <= range.getValue();
	}

}
