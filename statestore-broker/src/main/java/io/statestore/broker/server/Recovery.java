package io.statestore.broker.server;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

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

	/** Interval at which the progress is logged. */
	private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(5);

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
	 * @param listener receives the changes made by entries after the snapshot, and later
	 * changes
	 */
	Recovery(Path directory, FileLog log, ChangeListener listener) {
		this.directory = directory;
		this.log = log;
		long start = System.nanoTime();
		LogHistory past = log.history();
		try {
			this.history = (past != null) ? new StoreHistory(HistoryLog.of(past), log.snapshotIndex()) : null;
		}
		catch (IOException ex) {
			throw new IllegalStateException("Cannot change the history in '" + directory + "': " + ex, ex);
		}
		this.machine = restore(listener);
		if (this.history != null) {
			this.history.recordChangesOf(this.machine);
		}
		this.entries = replay();
		this.duration = Duration.ofNanos(System.nanoTime() - start);
		if (log.isCreated()) {
			logger.info("Created a store in {}", directory);
		}
		else {
			logger.info("Recovered {} keys from {} in {} ms, replaying {} entries of the log", this.machine.keyCount(),
					directory, this.duration.toMillis(), this.entries);
		}
	}

	private StateMachine restore(ChangeListener listener) {
		StoreHistory history = this.history;
		return (history != null) ? read((key, value, version, author) -> {
			history.changed(key, value, version, author);
			listener.changed(key, value, version, author);
		}) : read(listener);
	}

	private StateMachine read(ChangeListener listener) {
		try (SnapshotInput snapshot = this.log.snapshot()) {
			if (snapshot == null) {
				return new StateMachine(listener);
			}
			logger.info("Recovering the store from {}: reading a snapshot of {} MiB", this.directory,
					snapshot.bytes() >> 20);
			return StateMachine.restore(snapshot, listener);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Cannot read the snapshot in '" + this.directory + "': " + ex, ex);
		}
	}

	/** Applies all entries after the snapshot and returns their number. */
	private long replay() {
		SharedRequesters requesters = new SharedRequesters();
		AtomicLong entries = new AtomicLong();
		AtomicLong logged = new AtomicLong(System.nanoTime());
		this.log.replay((firstIndex, batch) -> {
			batch.forEach((entry) -> this.machine.apply(LogEntryCodec.decode(entry, requesters::share)));
			entries.addAndGet(batch.size());
			if (System.nanoTime() - logged.get() >= LOG_NANOS) {
				logged.set(System.nanoTime());
				logger.info("Recovering the store from {}: {} entries of the log are replayed", this.directory,
						entries);
			}
		});
		return entries.get();
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
