package io.statestore.dafka.reading.internal;

/**
 * Receiver of the records of a partition, each once and in order. Internal: not part of
 * the API.
 */
public interface RecordSink {

	/**
	 * Handles the next record.
	 * @param sequence sequence number of the record
	 * @param content content of the record
	 * @return whether it was accepted; otherwise, {@link PartitionReader#resume} must be
	 * called when there is room
	 */
	boolean accept(long sequence, byte[] content);

	/**
	 * Handles lost records: no node has them, or they are skipped.
	 * @param first sequence number of the first record
	 * @param last sequence number of the last record
	 */
	void lost(long first, long last);

	/**
	 * Handles a record that no node has sent for {@code lossTimeout}. Called once until
	 * there is progress. The record is still requested.
	 * @param first sequence number of the record
	 */
	default void missing(long first) {
	}

	/**
	 * Returns whether records may be declared lost because nodes answer with later ones.
	 * @param responders number of nodes that sent such answers, at least 1
	 * @param waited nanoseconds without progress
	 * @param now the time
	 * @return whether no other node may have the records
	 */
	default boolean permitsLoss(int responders, long waited, long now) {
		return true;
	}

	/**
	 * Returns whether records that no node has sent for {@code skipTimeout} may be
	 * skipped now.
	 * @param waited nanoseconds without progress
	 * @param now the time
	 * @return whether to continue without them
	 */
	default boolean permitsSkip(long waited, long now) {
		return true;
	}

}
