package io.statestore.dafka.reading.internal;

import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * Buffer for the records of a partition beyond a gap. The budget of the node limits their
 * memory. An empty buffer uses none. Not thread-safe.
 */
final class ReorderBuffer {

	private final int window;

	private final ReadingBudget budget;

	/** {@code null} if the buffer is empty, because most partitions never have a gap. */
	private @Nullable TreeMap<Long, byte[]> records;

	ReorderBuffer(int window, ReadingBudget budget) {
		this.window = window;
		this.budget = budget;
	}

	boolean isEmpty() {
		return this.records == null;
	}

	/** Adds a record if it is within the window after {@code next}. */
	boolean putNear(long next, long sequence, byte[] content) {
		return sequence - next < this.window && put(sequence, content);
	}

	/** Adds a record if the budget permits, and returns whether it is kept. */
	boolean put(long sequence, byte[] content) {
		TreeMap<Long, byte[]> records = this.records;
		if (records != null && records.containsKey(sequence)) {
			return true;
		}
		if (!this.budget.take(content.length)) {
			return false;
		}
		if (records == null) {
			records = new TreeMap<>();
			this.records = records;
		}
		records.put(sequence, content);
		return true;
	}

	byte @Nullable [] get(long sequence) {
		return (this.records != null) ? this.records.get(sequence) : null;
	}

	void remove(long sequence) {
		byte[] content = (this.records != null) ? this.records.remove(sequence) : null;
		if (content != null && this.records != null) {
			this.budget.release(content.length);
			if (this.records.isEmpty()) {
				this.records = null;
			}
		}
	}

	/** Returns the first record, or {@code otherwise} if there is none. */
	long first(long otherwise) {
		return (this.records != null) ? this.records.firstKey() : otherwise;
	}

	void clear() {
		if (this.records != null) {
			this.records.values().forEach((content) -> this.budget.release(content.length));
			this.records = null;
		}
	}

}
