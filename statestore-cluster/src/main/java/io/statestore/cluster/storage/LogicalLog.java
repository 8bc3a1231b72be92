package io.statestore.cluster.storage;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.conf.ConfigurationEntry;
import com.alipay.sofa.jraft.conf.ConfigurationManager;
import com.alipay.sofa.jraft.entity.LogEntry;
import io.statestore.broker.log.EntryRuns;

/**
 * Maps JRaft's indexes to file indexes. The two indexes differ because the files are only
 * appended to, so that removing the end of the log also adds an entry to the files.
 * Thread-safe.
 */
final class LogicalLog {

	/**
	 * First file index of each run of entries, by the run's first JRaft index. Within a
	 * run, both indexes are consecutive.
	 */
	private final NavigableMap<Long, Long> runs = new TreeMap<>();

	private final EntryRuns places = new EntryRuns(this.runs);

	/** Entries with members that were read at startup, by index. */
	private final NavigableMap<Long, LogEntry> members = new TreeMap<>();

	private long first = 1;

	/** Index of the next entry. */
	private long next = 1;

	/** Whether {@link #first} is known. */
	private boolean anchored;

	/** Returns the index of the first entry, or of the next entry if the log is empty. */
	synchronized long first() {
		return this.first;
	}

	synchronized long next() {
		return this.next;
	}

	synchronized boolean isEmpty() {
		return this.first == this.next;
	}

	/** Repeats the effect of an entry read from the files. */
	synchronized void replay(long fileIndex, ByteBuffer bytes) {
		long index = EntryCodec.index(bytes);
		switch (EntryCodec.kind(bytes)) {
			case EntryCodec.TRUNCATED -> truncateSuffix(index);
			case EntryCodec.RESET -> reset(index);
			case EntryCodec.MEMBERS -> {
				append(index, fileIndex);
				// The bytes are valid only during the call.
				this.members.put(index,
						EntryCodec.decode(ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip()));
			}
			default -> append(index, fileIndex);
		}
	}

	/** Reports the members that were read at startup to JRaft. */
	synchronized void reportMembers(ConfigurationManager manager) {
		this.members.tailMap(this.first).forEach((index, entry) -> {
			ConfigurationEntry configuration = new ConfigurationEntry();
			configuration.setId(entry.getId());
			configuration.setConf(new Configuration(entry.getPeers(), entry.getLearners()));
			if (entry.getOldPeers() != null) {
				configuration.setOldConf(new Configuration(entry.getOldPeers(), entry.getOldLearners()));
			}
			manager.add(configuration);
		});
	}

	/**
	 * Adds an entry after the last entry.
	 * @throws IllegalStateException if the index is not the next index
	 */
	synchronized void append(long index, long fileIndex) {
		if (!this.anchored) {
			reset(index);
		}
		if (index != this.next) {
			throw new IllegalStateException("Entry " + index + " follows entry " + (this.next - 1));
		}
		Map.Entry<Long, Long> last = this.runs.lastEntry();
		if (isEmpty() || last == null || fileIndex - last.getValue() != index - last.getKey()) {
			this.runs.put(index, fileIndex);
		}
		this.next++;
	}

	/** Removes all entries after the given entry. */
	synchronized void truncateSuffix(long lastKept) {
		if (lastKept < this.first - 1 || lastKept >= this.next) {
			throw new IllegalStateException(
					"Entry " + lastKept + " is not in the log from " + this.first + " to " + (this.next - 1));
		}
		this.runs.tailMap(lastKept, false).clear();
		this.members.tailMap(lastKept, false).clear();
		this.next = lastKept + 1;
	}

	/** Removes all entries before the given entry, which must be in the log. */
	synchronized void truncatePrefix(long firstKept) {
		long fileIndex = fileIndex(firstKept);
		if (fileIndex == 0) {
			throw new IllegalStateException("Entry " + firstKept + " is not in the log");
		}
		this.runs.headMap(firstKept, false).clear();
		this.runs.put(firstKept, fileIndex);
		this.first = firstKept;
	}

	synchronized void reset(long next) {
		this.runs.clear();
		this.members.clear();
		this.first = next;
		this.next = next;
		this.anchored = true;
	}

	/** Returns an entry's file index, 0 if the entry is not in the log. */
	synchronized long fileIndex(long index) {
		if (index < this.first || index >= this.next) {
			return 0;
		}
		return this.places.place(index);
	}

	synchronized EntryRuns runs() {
		return new EntryRuns(new TreeMap<>(this.runs));
	}

}
