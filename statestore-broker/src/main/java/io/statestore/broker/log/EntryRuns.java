package io.statestore.broker.log;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Maps each store entry to its place: its index in the log. An entry's two indexes differ
 * if the log also has other entries, such as a cluster's.
 *
 * @param runs the place of each run's first entry, keyed by that entry's index in the
 * store. Within a run, entries are consecutive both in the store and in the log
 */
public record EntryRuns(NavigableMap<Long, Long> runs) {

	/** Places in a log without other entries: each place is the index in the store. */
	public static final EntryRuns SAME = new EntryRuns(new TreeMap<>(Map.of(0L, 0L)));

	/**
	 * Returns the place of an entry.
	 * @param index index of an existing entry in the store
	 * @return index of the entry in the log, 0 if the entry precedes all runs
	 */
	public long place(long index) {
		Map.Entry<Long, Long> run = this.runs.floorEntry(index);
		return (run != null) ? run.getValue() + index - run.getKey() : 0;
	}

	/** Returns the size of the encoding, in bytes. */
	int bytes() {
		return Integer.BYTES + this.runs.size() * 2 * Long.BYTES;
	}

	void encode(ByteBuffer target) {
		target.putInt(this.runs.size());
		this.runs.forEach((index, place) -> target.putLong(index).putLong(place));
	}

	static EntryRuns decode(ByteBuffer source) {
		NavigableMap<Long, Long> runs = new TreeMap<>();
		for (int i = source.getInt(); i > 0; i--) {
			runs.put(source.getLong(), source.getLong());
		}
		return new EntryRuns(runs);
	}

}
