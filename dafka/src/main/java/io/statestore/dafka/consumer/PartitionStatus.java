package io.statestore.dafka.consumer;

/**
 * How far a consumer is with a partition.
 *
 * @param next the offset of the next record for the listener
 * @param head the offset of the last record known to exist, -1 for none
 */
public record PartitionStatus(long next, long head) {

	/** How many records are known that the listener does not have yet. */
	public long lag() {
		return Math.max(0, this.head + 1 - this.next);
	}

}
