package io.statestore.broker.server;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.history.HistoryLog;
import io.statestore.broker.history.StoreHistory;
import io.statestore.broker.log.DiskFullException;
import io.statestore.broker.log.EntryBatch;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogHistory;
import io.statestore.broker.log.SnapshotInput;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers a store from its directory: first the latest snapshot, then all entries after
 * it.
 */
final class Recovery {

	private static final Logger logger = LoggerFactory.getLogger(Recovery.class);

	private final Path directory;

	private final FileLog log;

	private final @Nullable StoreHistory history;

	private final StateMachine machine;

	private final long entries;

	private final Duration duration;

	/**
	 * Recovers a store.
	 * @param directory the store's directory
	 * @param log the log in the directory; not closed by this object
	 * @param monitor receives the progress
	 * @param listener receives the changes made by entries after the snapshot, and later
	 * changes
	 */
	Recovery(Path directory, FileLog log, RecoveryMonitor monitor, ChangeListener listener) {
		this.directory = directory;
		this.log = log;
		LogHistory past = log.history();
		try {
			this.history = (past != null) ? new StoreHistory(HistoryLog.of(past), log.snapshotIndex()) : null;
		}
		catch (IOException ex) {
			throw new IllegalStateException("Cannot change the history in '" + directory + "': " + ex, ex);
		}
		this.machine = restore(monitor, listener);
		if (this.history != null) {
			this.history.recordChangesOf(this.machine);
		}
		try (Replay replay = new Replay(this.machine)) {
			log.replay((firstIndex, batch) -> {
				replay.add(batch);
				monitor.entriesRead(batch.size());
			}, monitor::replayed);
			this.entries = replay.finish();
		}
		this.duration = monitor.duration();
		if (log.isCreated()) {
			logger.info("Created a store in {}", directory);
		}
		else {
			monitor.ended();
			logger.info("Recovered {} keys from {} in {} ms, replaying {} entries of the log", this.machine.keyCount(),
					directory, this.duration.toMillis(), this.entries);
		}
	}

	private StateMachine restore(RecoveryMonitor monitor, ChangeListener listener) {
		StoreHistory history = this.history;
		return (history != null) ? read(monitor, (key, value, version, author) -> {
			history.changed(key, value, version, author);
			listener.changed(key, value, version, author);
		}) : read(monitor, listener);
	}

	private StateMachine read(RecoveryMonitor monitor, ChangeListener listener) {
		try (SnapshotInput snapshot = this.log.snapshot()) {
			return (snapshot != null) ? StateMachine.restore(monitor.read(snapshot), listener)
					: new StateMachine(listener);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Cannot read the snapshot in '" + this.directory + "': " + ex, ex);
		}
	}

	/**
	 * Appends and applies the first entry of this process. Afterward, the entry is on
	 * disk regardless of the options: the next process must know which versions it
	 * permits.
	 * @param entry the start entry
	 * @throws DiskFullException if the disk has no space
	 */
	void start(LogEntry.Start entry) {
		EntryBatch batch = new EntryBatch();
		batch.add(LogEntryCodec.encode(entry));
		try {
			this.log.append(batch);
		}
		catch (DiskFullException ex) {
			throw new DiskFullException(
					"The store in '" + this.directory
							+ "' cannot start, because its disk is full. Free space on the disk, then start it again",
					ex);
		}
		this.log.force();
		this.machine.apply(entry);
		if (this.log.restored() != null) {
			this.log.restoredHandled();
		}
	}

	FileLog log() {
		return this.log;
	}

	StateMachine machine() {
		return this.machine;
	}

	/** Returns the history, {@code null} if none is kept. */
	@Nullable StoreHistory history() {
		return this.history;
	}

	/** Returns the number of entries after the snapshot. */
	long entries() {
		return this.entries;
	}

	Duration duration() {
		return this.duration;
	}

}
