package io.statestore.dafka.consumer;

/** Whether a consumer knows all partitions that the stores have. */
public enum Completeness {

	/** Every store that the consumer found has sent its complete list. */
	COMPLETE,

	/** A store has not sent its complete list yet. */
	PENDING,

	/**
	 * A store never says that its list is complete: stores of the reference
	 * implementation do not.
	 */
	UNKNOWN

}
