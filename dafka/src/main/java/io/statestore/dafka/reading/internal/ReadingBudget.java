package io.statestore.dafka.reading.internal;

/**
 * Limits the memory used by records beyond gaps in all partitions of a node. Used by the
 * node's thread; any thread may call {@link #used}. Internal: not part of the API.
 */
final class ReadingBudget {

	/** Estimated heap usage of a record, in bytes, not including its content. */
	static final int OVERHEAD = 96;

	private final long limit;

	private volatile long used;

	/**
	 * Creates an empty budget.
	 * @param limit maximum total size in bytes; each record counts as its content plus 96
	 * bytes
	 */
	public ReadingBudget(long limit) {
		this.limit = limit;
	}

	/**
	 * Returns the memory in use.
	 * @return number of bytes
	 */
	public long used() {
		return this.used;
	}

	/** Reserves memory for a record and returns whether there was enough. */
	boolean take(int size) {
		long after = this.used + size + OVERHEAD;
		if (after > this.limit) {
			return false;
		}
		this.used = after;
		return true;
	}

	void release(int size) {
		this.used -= size + OVERHEAD;
	}

}
