package io.statestore.dafka.consumer;

/** Completeness of the partitions that a consumer knows. */
public enum Completeness {

	/** Every store that the consumer found has sent its complete list. */
	COMPLETE,

	/** A store has not sent its complete list yet. */
	PENDING,

	/**
	 * A store does not report the end of its list. Stores of the reference implementation
	 * never do.
	 */
	UNKNOWN

}
