package io.statestore.dafka.reading;

/** Gets the records of a partition, each once and in order. */
public interface RecordSink {

	/**
	 * The next record.
	 * @return whether it was taken; if not, {@link PartitionReader#resume} has to be
	 * called when there is room
	 */
	boolean accept(long sequence, byte[] content);

	/**
	 * Handles lost records: the responder no longer has them, or they are skipped.
	 * @param first sequence number of the first record
	 * @param last sequence number of the last record
	 */
	void lost(long first, long last);

	/**
	 * Called when no node gave the next record for {@code lossTimeout}, once until there
	 * is progress. The record is requested again and again.
	 * @param first number of the record
	 */
	default void missing(long first) {
	}

	/**
	 * Returns whether records that no node gave for {@code skipTimeout} may be skipped
	 * now.
	 * @param now the time
	 */
	default boolean permitsSkip(long now) {
		return true;
	}

}
