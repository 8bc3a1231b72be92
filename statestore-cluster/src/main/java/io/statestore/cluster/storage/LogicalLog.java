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
 * Maps indexes of JRaft to those of the files. They differ because the files are only
 * appended to: removing the end of the log is an entry of the files, too. Thread-safe.
 */
final class LogicalLog {

	/**
	 * First file index of each run of entries that follow each other in both, by its
	 * first index.
	 */
	private final NavigableMap<Long, Long> runs = new TreeMap<>();

	private final EntryRuns places = new EntryRuns(this.runs);

	/** Entries with members that the start has read, by index. */
	private final NavigableMap<Long, LogEntry> members = new TreeMap<>();

	private long first = 1;

	/** Index of the next entry. */
	private long next = 1;

	/** Whether {@link #first} is known. */
	private boolean anchored;

	/** Returns the index of the first entry, or of the next one if there is none. */
	synchronized long first() {
		return this.first;
	}

	/** Returns the index of the next entry. */
	synchronized long next() {
		return this.next;
	}

	synchronized boolean isEmpty() {
		return this.first == this.next;
	}

	/** Repeats an entry of the files. */
	synchronized void replay(long fileIndex, ByteBuffer bytes) {
		long index = EntryCodec.index(bytes);
		switch (EntryCodec.kind(bytes)) {
			case EntryCodec.TRUNCATED -> truncateSuffix(index);
			case EntryCodec.RESET -> reset(index);
			case EntryCodec.MEMBERS -> {
				append(index, fileIndex);
				// The bytes are valid during the call only.
				this.members.put(index,
						EntryCodec.decode(ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip()));
			}
			default -> append(index, fileIndex);
		}
	}

	/** Reports the members that the start has read to JRaft. */
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
	 * Adds an entry behind the last one.
	 * @throws IllegalStateException if the index is not the next one
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

	/** Removes all entries behind one. */
	synchronized void truncateSuffix(long lastKept) {
		if (lastKept < this.first - 1 || lastKept >= this.next) {
			throw new IllegalStateException(
					"Entry " + lastKept + " is not in the log from " + this.first + " to " + (this.next - 1));
		}
		this.runs.tailMap(lastKept, false).clear();
		this.members.tailMap(lastKept, false).clear();
		this.next = lastKept + 1;
	}

	/** Removes all entries before one, which must be in the log. */
	synchronized void truncatePrefix(long firstKept) {
		long fileIndex = fileIndex(firstKept);
		if (fileIndex == 0) {
			throw new IllegalStateException("Entry " + firstKept + " is not in the log");
		}
		this.runs.headMap(firstKept, false).clear();
		this.runs.put(firstKept, fileIndex);
		this.first = firstKept;
	}

	/** Removes all entries. */
	synchronized void reset(long next) {
		this.runs.clear();
		this.members.clear();
		this.first = next;
		this.next = next;
		this.anchored = true;
	}

	/** Returns the file index of an entry, 0 if it is not in the log. */
	synchronized long fileIndex(long index) {
		if (index < this.first || index >= this.next) {
			return 0;
		}
		return this.places.place(index);
	}

	/** Returns a copy of the runs. */
	synchronized EntryRuns runs() {
		return new EntryRuns(new TreeMap<>(this.runs));
	}

}
