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
	 * These records are gone: whoever answers does not have them, or they are skipped.
	 */
	void lost(long first, long last);

	/**
	 * Nobody gives the record, for {@code lossTimeout}. It is asked for again and again;
	 * told once until there is progress.
	 */
	default void missing(long first) {
	}

}
