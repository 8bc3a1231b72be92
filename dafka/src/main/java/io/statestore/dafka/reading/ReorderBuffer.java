package io.statestore.dafka.reading;

import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * Records that came too early, bounded in number, and in bytes by the budget of the node.
 * Takes memory for the records it has only.
 */
final class ReorderBuffer {

	private final int window;

	private final ReadingBudget budget;

	/** Made with the first record, since most partitions never have a gap. */
	private @Nullable TreeMap<Long, byte[]> records;

	ReorderBuffer(int window, ReadingBudget budget) {
		this.window = window;
		this.budget = budget;
	}

	boolean isEmpty() {
		return this.records == null;
	}

	/** Keeps a record if it is within the window behind {@code next}. */
	boolean putNear(long next, long sequence, byte[] content) {
		return sequence - next < this.window && put(sequence, content);
	}

	/** Keeps a record if the budget allows it. */
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
			this.budget.give(content.length);
			if (this.records.isEmpty()) {
				this.records = null;
			}
		}
	}

	/** Returns the first record kept, or {@code otherwise} if there is none. */
	long first(long otherwise) {
		return (this.records != null) ? this.records.firstKey() : otherwise;
	}

	void clear() {
		if (this.records != null) {
			this.records.values().forEach((content) -> this.budget.give(content.length));
			this.records = null;
		}
	}

}
