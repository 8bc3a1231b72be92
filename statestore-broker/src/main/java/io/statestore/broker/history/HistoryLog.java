package io.statestore.broker.history;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

import io.statestore.broker.log.EntryRuns;
import io.statestore.broker.log.LogHistory;

/**
 * The log that a history reads. An entry of it may contain several entries of the store,
 * or none. Thread-safe.
 */
public interface HistoryLog {

	/**
	 * Returns the segments and snapshots of the log, also those that later snapshots have
	 * replaced.
	 * @return the past of the log
	 */
	LogHistory past();

	/**
	 * Returns the identity that the snapshots of the store carry.
	 * @return the identity
	 */
	UUID snapshotId();

	/**
	 * Returns the place of an entry: its index in the files of the log.
	 * @param index index of the entry
	 * @param term its term, because an entry of an earlier term may still have the index.
	 * 0 if the log has no terms, or the entry is known to be in it
	 * @return the place, 0 if the log does not have the entry (yet)
	 */
	long place(long index, long term);

	/**
	 * Returns where the entries behind the latest snapshot are in the log.
	 * @return a copy
	 */
	EntryRuns runs();

	/**
	 * Returns the entries of the store in an entry of the log.
	 * @param entry the entry of the log
	 * @return the entries of the store, which share its content
	 */
	List<ByteBuffer> entries(ByteBuffer entry);

	/**
	 * Returns a log each of whose entries is one of the store.
	 * @param past the past of the log
	 * @return a log
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
