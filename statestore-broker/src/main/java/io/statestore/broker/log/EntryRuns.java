package io.statestore.broker.log;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Where the entries of a store are in its log. The indexes differ if the log has other
 * entries, too.
 *
 * @param runs index in the log of the first entry of each run of entries that follow each
 * other in both, by its index in the store
 */
public record EntryRuns(NavigableMap<Long, Long> runs) {

	/** All entries if the log has no others. */
	public static final EntryRuns SAME = new EntryRuns(new TreeMap<>(Map.of(0L, 0L)));

	/**
	 * Returns where an entry is, which must exist.
	 * @param index index of the entry in the store
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
