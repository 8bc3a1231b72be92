package io.statestore.broker.history;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

import io.statestore.broker.log.EntryRuns;
import io.statestore.broker.log.LogHistory;

/**
 * The log that a history reads. A log entry may contain several store entries, or none.
 * Thread-safe.
 */
public interface HistoryLog {

	/**
	 * Returns the log's segments and snapshots, including those that later snapshots have
	 * replaced.
	 * @return the files in the log's directory
	 */
	LogHistory past();

	/**
	 * Returns the identity in the store's snapshots.
	 * @return the identity, which distinguishes this store's snapshots from other stores'
	 * snapshots
	 */
	UUID snapshotId();

	/**
	 * Returns an entry's place: its index in the log's files.
	 * @param index index of the entry
	 * @param term term of the entry, because an entry from an earlier term may still have
	 * the same index; 0 if the log does not have terms or is known to contain the entry
	 * @return the place, 0 if the log does not have the entry (yet)
	 */
	long place(long index, long term);

	/**
	 * Returns where the entries after the latest snapshot are in the log.
	 * @return a copy
	 */
	EntryRuns runs();

	/**
	 * Returns the store entries in a log entry.
	 * @param entry the log entry
	 * @return the store entries, which share the log entry's memory
	 */
	List<ByteBuffer> entries(ByteBuffer entry);

	/**
	 * Returns a log in which each log entry is a store entry.
	 * @param past the log's files
	 * @return a view of these files
	 */
	static HistoryLog of(LogHistory past) {
		return new HistoryLog() {

			@Override
			public LogHistory past() {
				return past;
			}

			@Override
			public UUID snapshotId() {
				return past.id();
			}

			@Override
			public long place(long index, long term) {
				return index;
			}

			@Override
			public EntryRuns runs() {
				return EntryRuns.SAME;
			}

			@Override
			public List<ByteBuffer> entries(ByteBuffer entry) {
				return List.of(entry);
			}

		};
	}

}
