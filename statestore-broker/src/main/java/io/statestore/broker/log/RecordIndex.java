package io.statestore.broker.log;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** Places of the records of a log, by the index of their first entry. Thread-safe. */
final class RecordIndex {

	private final List<Place> places = new ArrayList<>();

	/** Adds a record behind the last one. */
	synchronized void add(long firstIndex, long segment, long position) {
		this.places.add(new Place(firstIndex, segment, position));
	}

	/** Returns the record that contains an entry, or {@code null} if it was removed. */
	synchronized @Nullable Place find(long index) {
		int found = search(index);
		return (found >= 0) ? this.places.get(found) : null;
	}

	/** Removes the records that have only entries before an index. */
	synchronized void removeBefore(long index) {
		this.places.subList(0, Math.max(0, search(index))).clear();
	}

	/** Returns the last record that begins at or before an index, -1 if there is none. */
	private int search(long index) {
		int found = Collections.binarySearch(this.places, new Place(index, 0, 0),
				Comparator.comparingLong(Place::firstIndex));
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
