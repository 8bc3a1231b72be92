package io.statestore.dafka.reading.internal;

import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * Buffers a partition's records beyond a gap. The node's budget limits their memory. Not
 * thread-safe.
 */
final class ReorderBuffer {

	private final int window;

	private final ReadingBudget budget;

	private final TreeMap<Long, byte[]> records = new TreeMap<>();

	ReorderBuffer(int window, ReadingBudget budget) {
		this.window = window;
		this.budget = budget;
	}

	boolean isEmpty() {
		return this.records.isEmpty();
	}

	/** Adds a record if it is within the window after {@code next}. */
	boolean putNear(long next, long sequence, byte[] content) {
		return sequence - next < this.window && put(sequence, content);
	}

	/** Adds a record if the budget permits. Returns whether the record is kept. */
	boolean put(long sequence, byte[] content) {
		if (this.records.containsKey(sequence)) {
			return true;
		}
		boolean permitted = this.budget.take(content.length);
		if (permitted) {
			this.records.put(sequence, content);
		}
		return permitted;
	}

	byte @Nullable [] get(long sequence) {
		return this.records.get(sequence);
	}

	void remove(long sequence) {
		byte[] content = this.records.remove(sequence);
		if (content != null) {
			this.budget.release(content.length);
		}
	}

	/** Returns the first record, or {@code otherwise} if there is none. */
	long first(long otherwise) {
		return this.records.isEmpty() ? otherwise : this.records.firstKey();
	}

	void clear() {
		this.records.values().forEach((content) -> this.budget.release(content.length));
		this.records.clear();
	}

}
