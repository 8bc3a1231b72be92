package io.statestore.broker.server;

import java.io.FilterInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.LogEntryCodec;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.log.DiskFullException;
import io.statestore.broker.log.EntryBatch;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.SnapshotInput;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovery of a store from its directory: the latest snapshot, then all entries behind
 * it.
 */
final class Recovery {

	private static final Logger logger = LoggerFactory.getLogger(Recovery.class);

	private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final Path directory;

	private final FileLog log;

	private final @Nullable ChangeFeed feed;

	private final long start = System.nanoTime();

	private final StateMachine machine;

	private final EntryApplier applier;

	private long progressTime = this.start;

	private long entries;

	private final Duration duration;

	/**
	 * Recovers a store.
	 * @param directory directory of the store
	 * @param log the log in the directory, which this object does not close
	 * @param listener receives the changes of the entries behind the snapshot, and later
	 * ones
	 * @param feed the feed of the journal, to which the listener passes changes, or
	 * {@code null} for none
	 */
	Recovery(Path directory, FileLog log, ChangeListener listener, @Nullable ChangeFeed feed) {
		this.directory = directory;
		this.log = log;
		this.feed = feed;
		this.machine = restore(listener);
		if (feed != null) {
			feed.beginRecovery(this.machine);
		}
		this.applier = new EntryApplier(this.machine);
		log.replay(this::replay, this::replayed);
		this.duration = Duration.ofNanos(System.nanoTime() - this.start);
		if (log.lastIndex() == 0) {
			logger.info("Created a store in {}", directory);
		}
		else {
			logger.info("Recovered {} keys from {} in {} ms, replaying {} entries of the log", this.machine.keyCount(),
					directory, this.duration.toMillis(), this.entries);
		}
	}

	private StateMachine restore(ChangeListener listener) {
		try (SnapshotInput snapshot = this.log.snapshot()) {
			return (snapshot != null) ? StateMachine.restore(new Progress(snapshot), listener)
					: new StateMachine(listener);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Cannot read the snapshot in '" + this.directory + "': " + ex, ex);
		}
	}

	private void replay(long firstIndex, List<ByteBuffer> batch) {
		for (ByteBuffer bytes : batch) {
			LogEntry entry = LogEntryCodec.decode(bytes);
			if (this.feed != null && entry instanceof LogEntry.Start start && start.after() != null && start.marked()) {
				this.feed.marked(start.after());
			}
			this.applier.apply(entry);
		}
		this.entries += batch.size();
	}

	private void replayed(long bytesDone, long bytesTotal) {
		progress("the log", bytesDone, bytesTotal);
	}

	private void progress(String part, long bytesDone, long bytesTotal) {
		long now = System.nanoTime();
		if (now - this.progressTime >= PROGRESS_NANOS) {
			this.progressTime = now;
			logger.info("Recovering the store from {}: {} of {} MiB of {}", this.directory, bytesDone >> 20,
					bytesTotal >> 20, part);
		}
	}

	/**
	 * Appends and applies the first entry of this process. It is on the disk afterwards,
	 * whatever the options say: the next start must know the versions that it permits.
	 * @param entry the start
	 * @throws DiskFullException if the disk has no space
	 */
	void start(LogEntry.Start entry) {
		EntryBatch batch = new EntryBatch();
		batch.add(LogEntryCodec.encode(entry));
		try {
			this.log.append(batch, true);
		}
		catch (DiskFullException ex) {
			throw new DiskFullException(
					"The store in '" + this.directory
							+ "' cannot start, because its disk is full. Free space on the disk, then start it again",
					ex);
		}
		this.log.force();
		this.applier.apply(entry);
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

	EntryApplier applier() {
		return this.applier;
	}

	/** Returns the number of entries behind the snapshot. */
	long entries() {
		return this.entries;
	}

	Duration duration() {
		return this.duration;
	}

	/** A snapshot whose progress is logged. */
	private final class Progress extends FilterInputStream {

		private final long total;

		private long done;

		Progress(SnapshotInput snapshot) {
			super(snapshot);
			this.total = snapshot.bytes();
		}

		@Override
		public int read() throws IOException {
			int value = super.read();
			this.done++;
			return value;
		}

		@Override
		public int read(byte[] target, int offset, int length) throws IOException {
			int count = super.read(target, offset, length);
			this.done += Math.max(0, count);
			progress("the snapshot", this.done, this.total);
			return count;
		}

	}

}
