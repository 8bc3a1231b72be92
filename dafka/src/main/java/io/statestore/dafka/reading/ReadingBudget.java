package io.statestore.dafka.reading;

/**
 * Limits the bytes of the records that all partitions of a node keep beyond gaps. For the
 * thread of the node, but any thread may read {@link #used}.
 */
public final class ReadingBudget {

	/** Heap that a kept record takes besides its content. */
	static final int OVERHEAD = 96;

	private final long limit;

	private volatile long used;

	/**
	 * Creates an empty budget.
	 * @param limit maximum number of bytes, each record with 96 more
	 */
	public ReadingBudget(long limit) {
		this.limit = limit;
	}

	/** Returns the bytes in use. */
	public long used() {
		return this.used;
	}

	boolean take(int size) {
		long after = this.used + size + OVERHEAD;
		if (after > this.limit) {
			return false;
		}
		this.used = after;
		return true;
	}

	void give(int size) {
		this.used -= size + OVERHEAD;
	}

}
