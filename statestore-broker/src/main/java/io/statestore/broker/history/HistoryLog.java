package io.statestore.broker.history;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

import io.statestore.broker.log.EntryRuns;
import io.statestore.broker.log.LogHistory;

/**
 * The log that a history reads. It may have other entries, too, and several entries of
 * the store in one. Thread-safe.
 */
public interface HistoryLog {

	/**
	 * Returns the past of the log.
	 * @return the past
	 */
	LogHistory files();

	/**
	 * Returns the identity in the snapshots of the store.
	 * @return the identity
	 */
	UUID snapshotId();

	/**
	 * Returns where an entry is.
	 * @param index index of the entry
	 * @param term its term, 0 if the log has no terms, or the entry is known to be in it
	 * @return its index in the log, 0 if the log does not have it (yet). An entry of an
	 * earlier term, which the entry will replace, may have its index
	 */
	long place(long index, long term);

	/**
	 * Returns where the entries behind the latest snapshot are.
	 * @return the current runs
	 */
	EntryRuns runs();

	/**
	 * Returns the entries of the store in an entry of the log.
	 * @param entry the entry of the log
	 * @return the entries of the store, which share its content
	 */
	List<ByteBuffer> entries(ByteBuffer entry);

	/**
	 * Returns the log of a store that has no other entries.
	 * @param files the past of the log
	 * @return a log
	 */
	static HistoryLog of(LogHistory files) {
		return new HistoryLog() {

			@Override
			public LogHistory files() {
				return files;
			}

			@Override
			public UUID snapshotId() {
				return files.id();
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
