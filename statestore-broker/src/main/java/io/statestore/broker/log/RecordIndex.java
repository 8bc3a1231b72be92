package io.statestore.broker.log;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** Places of the records of a log, by the index of their first entry. Thread-safe. */
final class RecordIndex {

	private static final int INITIAL = 1_024;

	private long[] firstIndexes = new long[INITIAL];

	private long[] segments = new long[INITIAL];

	private long[] positions = new long[INITIAL];

	/** Places before this one belong to records that were removed. */
	private int start;

	private int end;

	/** Adds a record behind the last one. */
	synchronized void add(long firstIndex, long segment, long position) {
		if (this.end == this.firstIndexes.length) {
			makeRoom();
		}
		this.firstIndexes[this.end] = firstIndex;
		this.segments[this.end] = segment;
		this.positions[this.end] = position;
		this.end++;
	}

	private void makeRoom() {
		int size = this.end - this.start;
		int capacity = Math.max(INITIAL, 2 * size);
		this.firstIndexes = Arrays.copyOf(Arrays.copyOfRange(this.firstIndexes, this.start, this.end), capacity);
		this.segments = Arrays.copyOf(Arrays.copyOfRange(this.segments, this.start, this.end), capacity);
		this.positions = Arrays.copyOf(Arrays.copyOfRange(this.positions, this.start, this.end), capacity);
		this.start = 0;
		this.end = size;
	}

	/** Returns the record that contains an entry, or {@code null} if it was removed. */
	synchronized @Nullable Place find(long index) {
		int found = search(index);
		return (found >= this.start) ? new Place(this.firstIndexes[found], this.segments[found], this.positions[found])
				: null;
	}

	/** Removes the records that have only entries before an index. */
	synchronized void removeBefore(long index) {
		this.start = Math.max(this.start, search(index));
	}

	/** Returns the last record that begins at or before an index. */
	private int search(long index) {
		int found = Arrays.binarySearch(this.firstIndexes, this.start, this.end, index);
		return (found >= 0) ? found : -found - 2;
	}

	/**
	 * Place of a record.
	 *
	 * @param firstIndex index of its first entry
	 * @param segment index of the first entry of its segment
	 * @param position where it begins in the segment
	 */
	record Place(long firstIndex, long segment, long position) {
	}

}
