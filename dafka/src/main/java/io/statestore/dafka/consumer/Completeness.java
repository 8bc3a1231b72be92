package io.statestore.dafka.consumer;

/** Whether a consumer knows all partitions in the stores it has found. */
public enum Completeness {

	/** Every store has sent its complete list of partitions. */
	COMPLETE,

	/** At least one store has not sent its complete list yet. */
	PENDING,

	/**
	 * At least one store does not report the end of its list. Stores of the reference
	 * implementation never do.
	 */
	UNKNOWN

}
