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
	 * Returns whether records may be declared lost because nodes answer with later ones.
	 * @param responders number of nodes that answered so, at least 1
	 * @param waited nanoseconds without progress
	 * @param now the time
	 * @return whether no other node may have the records
	 */
	default boolean permitsLoss(int responders, long waited, long now) {
		return true;
	}

	/**
	 * Returns whether records that no node gave for {@code skipTimeout} may be skipped
	 * now.
	 * @param waited nanoseconds without progress
	 * @param now the time
	 * @return whether to continue without them
	 */
	default boolean permitsSkip(long waited, long now) {
		return true;
	}

}
