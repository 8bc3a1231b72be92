package io.statestore.dafka.consumer;

/**
 * A consumer's progress in a partition.
 *
 * @param next offset of the first record that the listener has not processed
 * @param head offset of the last known record; -1 if there is none
 */
public record PartitionStatus(long next, long head) {

	/**
	 * Returns the number of known records that the listener has not processed.
	 * @return a number, at least 0
	 */
	public long lag() {
		return Math.max(0, this.head + 1 - this.next);
	}

}
