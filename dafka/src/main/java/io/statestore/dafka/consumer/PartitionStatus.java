package io.statestore.dafka.consumer;

/**
 * Progress of a consumer in a partition.
 *
 * @param next offset of the first record that the listener has not processed
 * @param head offset of the last known record, -1 for none
 */
public record PartitionStatus(long next, long head) {

	/**
	 * Returns the number of known records that the listener has not processed.
	 * @return number of records
	 */
	public long lag() {
		return Math.max(0, this.head + 1 - this.next);
	}

}
