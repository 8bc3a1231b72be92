package io.statestore.dafka.reading;

/** Gets the records of a partition, each once and in order. */
public interface RecordSink {

	/**
	 * The next record.
	 * @return whether it was taken; if not, {@link PartitionReader#resume} has to be
	 * called when there is room
	 */
	boolean accept(long sequence, byte[] content);

	/** These records are gone: everybody who has later ones does not have them. */
	void lost(long first, long last);

}
