package io.statestore.broker.server;

import java.io.IOError;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.statestore.broker.log.DiskFullException;
import io.statestore.broker.log.EntryBatch;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogFailedException;
import io.statestore.broker.log.LogStatistics;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores a log's entries in a directory, on a separate thread. Entries that arrive during
 * a write are written together afterward (group commit; DeWitt et al., "Implementation
 * Techniques for Main Memory Database Systems", SIGMOD 1984). They are then applied
 * within the serial executor, by whichever thread finds the executor idle.
 */
final class FileSink implements LogSink {

	private static final Logger logger = LoggerFactory.getLogger(FileSink.class);

	private static final Duration MAX_CLOSE_TIME = Duration.ofSeconds(10);

	private static final int MAX_BATCH_BYTES = 8 << 20;

	/** Maximum size of a buffer kept for the next batch, in bytes. */
	private static final int MAX_KEPT_BYTES = 16 << 20;

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/**
	 * Minimum time between two warnings, in nanoseconds. Otherwise, small batches that
	 * still fit on a full disk would cause many warnings.
	 */
	private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Path directory;

	private final Recovery recovery;

	private final FileLog files;

	private final SerialExecutor serial;

	private final SnapshotWriter snapshots;

	private final Consumer<Error> onError;

	private final Thread thread = new Thread(this::run, "statestore-log");

	private final ClosingTask closing = new ClosingTask("statestore-log-close", this::closeFiles);

	@SuppressWarnings("NullAway.Init") // Set by start, before the thread begins.
	private CommandLog log;

	/** Whether the thread is waiting or is about to wait. */
	private volatile boolean parked;

	private volatile boolean ended;

	private volatile boolean diskFull;

	/** Whether a full disk has been logged, but not yet that it has space again. */
	private boolean warned;

	private long lastWarning = System.nanoTime() - QUIET_NANOS;

	/** Time of the latest write attempt while the disk is full. */
	private volatile long lastAttempt;

	private EntryBatch buffer = new EntryBatch();

	private volatile long appliedIndex;

	/**
	 * Creates a sink.
	 * @param recovery the recovered store
	 * @param onError receives an error, after which nothing more is written
	 */
	FileSink(Path directory, Recovery recovery, SerialExecutor serial, ServerTuning tuning, Consumer<Error> onError) {
		this.directory = directory;
		this.recovery = recovery;
		this.files = recovery.log();
		this.serial = serial;
		this.onError = onError;
		this.appliedIndex = this.files.lastIndex();
		this.files.onFailure((failure) -> onError.accept(new IOError(failure)));
		this.snapshots = new SnapshotWriter(recovery, serial, tuning, onError);
		this.thread.setDaemon(true);
	}

	@Override
	public void start(CommandLog log) {
		this.log = log;
		this.thread.start();
	}

	@Override
	public void offered() {
		if (this.diskFull) {
			this.lastAttempt = System.nanoTime();
		}
		unpark();
	}

	private void unpark() {
		if (this.parked) {
			this.parked = false;
			LockSupport.unpark(this.thread);
		}
	}

	@Override
	public int maxEntryBytes() {
		return EntryBatch.MAX_BYTES - Integer.BYTES;
	}

	@Override
	public int maxBatchBytes() {
		return MAX_BATCH_BYTES;
	}

	@Override
	public boolean isWritable() {
		return !this.diskFull || System.nanoTime() - this.lastAttempt >= RETRY_NANOS;
	}

	private void run() {
		try {
			for (Batch batch = take(); batch != null; batch = take()) {
				Batch written = batch;
				long lastIndex = write(written);
				this.serial.execute(() -> finish(written, lastIndex), this.log::hasWaiting);
			}
		}
		catch (Error ex) {
			this.onError.accept(ex);
		}
		catch (RuntimeException ex) {
			// The state of the log is unknown.
			this.onError.accept(new IOError(ex));
		}
	}

	private @Nullable Batch take() {
		while (true) {
			boolean last = this.ended;
			Batch batch = this.log.take();
			if (batch != null || last) {
				return batch;
			}
			this.parked = true;
			if (!this.log.hasWaiting() && !this.ended) {
				LockSupport.park(this);
			}
			this.parked = false;
		}
	}

	/** Writes a batch and returns the index of its last entry, -1 if it is rejected. */
	private long write(Batch batch) {
		List<byte[]> entries = batch.encode(maxEntryBytes());
		try {
			entries.forEach(this.buffer::add);
			this.files.append(this.buffer);
			if (batch.isForced()) {
				this.files.force();
			}
			if (!entries.isEmpty()) {
				hasSpaceAgain();
			}
			return this.files.lastIndex();
		}
		catch (DiskFullException ex) {
			diskFull(ex);
		}
		catch (LogFailedException ex) {
			if (this.files.isFailed()) {
				throw ex;
			}
			logger.error(
					"A write to the store's log failed. Its {} requests are refused with \"the quota has been "
							+ "exceeded\", and later requests use another file. Check the disk",
					batch.proposals().size(), ex);
		}
		finally {
			batch.written();
			if (this.buffer.bytes() > MAX_KEPT_BYTES) {
				this.buffer = new EntryBatch();
			}
			else {
				this.buffer.clear();
			}
		}
		return -1;
	}

	private void hasSpaceAgain() {
		this.diskFull = false;
		if (this.warned) {
			this.warned = false;
			logger.info("The disk has space again. The store accepts writes");
		}
	}

	private void diskFull(DiskFullException ex) {
		long now = System.nanoTime();
		this.lastAttempt = now;
		this.diskFull = true;
		if (!this.warned && now - this.lastWarning >= QUIET_NANOS) {
			this.warned = true;
			this.lastWarning = now;
			logger.warn("{}. Writes are refused with \"the quota has been exceeded\", reads continue", ex.getMessage());
		}
	}

	private void finish(Batch batch, long lastIndex) {
		batch.decide(lastIndex >= 0);
		this.log.finish();
		if (batch.isCommitted()) {
			this.appliedIndex = lastIndex;
			this.snapshots.update(lastIndex);
		}
	}

	@Override
	public Optional<DurabilityStatistics> durability() {
		LogStatistics statistics = this.files.statistics();
		return Optional.of(new DurabilityStatistics(this.directory, statistics.bytes(), statistics.segments(),
				statistics.lastIndex(), this.appliedIndex, this.log.pending(), statistics.forces(),
				statistics.forceNanos(), statistics.maxForceNanos(), statistics.snapshotIndex(),
				age(statistics.snapshotTime()), statistics.snapshotBytes(), this.recovery.entries(),
				this.recovery.duration(), !this.diskFull && !this.files.isFailed()));
	}

	private static @Nullable Duration age(@Nullable Instant time) {
		if (time == null) {
			return null;
		}
		Duration age = Duration.between(time, Instant.now());
		return age.isNegative() ? Duration.ZERO : age;
	}

	@Override
	public void end() {
		this.snapshots.end();
		this.ended = true;
		unpark();
	}

	@Override
	public void close() {
		if (!this.closing.run(MAX_CLOSE_TIME)) {
			logger.error(
					"Stopped waiting for the disk of {}, which has not responded for {} s. The directory remains in "
							+ "use until the disk responds or this process ends. Check the disk",
					this.directory, MAX_CLOSE_TIME.toSeconds());
		}
	}

	private void closeFiles() {
		try {
			// Requests that are being handled may still append entries.
			awaitTasks();
			end();
			this.thread.join();
			awaitTasks();
			this.snapshots.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		this.files.close();
	}

	/** Waits until all earlier tasks have run, or will never run. */
	private void awaitTasks() {
		this.serial.call(() -> {
		});
	}

}
