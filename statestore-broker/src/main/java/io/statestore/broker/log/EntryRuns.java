package io.statestore.broker.log;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Places of the entries of a store: their indexes in the log. The two indexes of an entry
 * differ if the log has other entries, too, such as those of a cluster.
 *
 * @param runs place of the first entry of each run, by its index in the store. In a run,
 * entries follow each other in the store and in the log
 */
public record EntryRuns(NavigableMap<Long, Long> runs) {

	/** Places in a log that has no other entries: each is the index in the store. */
	public static final EntryRuns SAME = new EntryRuns(new TreeMap<>(Map.of(0L, 0L)));

	/**
	 * Returns the place of an entry.
	 * @param index index in the store of an entry that exists
	 * @return index of the entry in the log, 0 if it is before all runs
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
