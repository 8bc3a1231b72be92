package io.statestore.broker.server;

import java.io.IOError;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogStatistics;
import io.statestore.broker.storage.StorageOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log in a directory. A dedicated thread writes the entries. They are then applied
 * within the serial executor, by the thread that finds the executor idle.
 */
final class FileCommandLog implements CommandLog {

	private static final Logger logger = LoggerFactory.getLogger(FileCommandLog.class);

	private static final Duration MAX_CLOSE_TIME = Duration.ofSeconds(10);

	private final Path directory;

	private final Recovery recovery;

	private final FileLog log;

	private final SerialExecutor serial;

	private final BatchWriter writer;

	private final SnapshotWriter snapshots;

	private final Runnable afterwards;

	private final UnfinishedBatches unfinished;

	private final ClosingTask closing = new ClosingTask("statestore-log-close", this::closeFiles);

	private volatile long appliedIndex;

	/**
	 * Creates a log.
	 * @param recovery the recovered store
	 * @param feed the feed of the journal, or {@code null} for none
	 * @param afterwards called after the entries of a batch
	 * @param onError receives an error, after which nothing is appended
	 */
	FileCommandLog(StorageOptions options, Recovery recovery, SerialExecutor serial, ServerTuning tuning,
			@Nullable ChangeFeed feed, Runnable afterwards, Consumer<Error> onError) {
		this.directory = options.directory();
		this.recovery = recovery;
		this.log = recovery.log();
		this.unfinished = new UnfinishedBatches(recovery.applier(), tuning.maxHeld());
		this.serial = serial;
		this.afterwards = afterwards;
		this.appliedIndex = this.log.lastIndex();
		this.log.onFailure((failure) -> onError.accept(new IOError(failure)));
		this.writer = new BatchWriter(this.log, this::written, onError);
		this.snapshots = new SnapshotWriter(this.log, recovery.machine(), serial, tuning.minLogBytes(),
				tuning.maxHeld() / 2, feed, this.writer::hasSpace, onError);
	}

	@Override
	public void start() {
		this.writer.start();
	}

	@Override
	public long append(Proposal proposal) {
		long position = this.unfinished.append(proposal.bytes());
		Batch created = this.writer.add(proposal, position);
		if (created != null) {
			this.unfinished.add(created);
		}
		return position;
	}

	@Override
	public long done() {
		return this.unfinished.done();
	}

	@Override
	public boolean isBusy() {
		return this.unfinished.isBusy();
	}

	@Override
	public void after(long position, Runnable action, int bytes) {
		this.unfinished.after(position, action, bytes);
	}

	@Override
	public void confirm(ClientConnection connection, Runnable action, int bytes) {
		action.run();
	}

	@Override
	public void confirmed(ClientConnection connection) {
		// Nothing waits
	}

	@Override
	public boolean isReplicated() {
		return false;
	}

	@Override
	public boolean isFull() {
		return this.unfinished.isFull();
	}

	@Override
	public boolean isExhausted() {
		return this.unfinished.isExhausted();
	}

	@Override
	public boolean isWritable() {
		return this.writer.isWritable();
	}

	@Override
	public boolean isDurable() {
		return true;
	}

	/** Called by the writer. */
	private void written(Batch batch) {
		this.serial.execute(() -> finish(batch), this.writer::hasWork);
	}

	private void finish(Batch batch) {
		this.unfinished.finishFirst();
		if (batch.isCommitted()) {
			this.appliedIndex = batch.lastIndex();
			this.snapshots.update(this.appliedIndex);
		}
		this.afterwards.run();
	}

	@Override
	public Optional<DurabilityStatistics> durability() {
		LogStatistics statistics = this.log.statistics();
		return Optional.of(new DurabilityStatistics(this.directory, statistics.bytes(), statistics.segments(),
				statistics.lastIndex(), this.appliedIndex, this.unfinished.pending(), statistics.forces(),
				statistics.forceNanos(), statistics.maxForceNanos(), statistics.snapshotIndex(),
				age(statistics.snapshotTime()), statistics.snapshotBytes(), this.recovery.entries(),
				this.recovery.duration(), this.writer.hasSpace() && !this.log.isFailed()));
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
		this.writer.end();
	}

	@Override
	public void close() {
		if (!this.closing.run(MAX_CLOSE_TIME)) {
			logger.error(
					"Stopped waiting for the disk of {}, which has not responded for {} s. The directory is in "
							+ "use until it does, or until this process ends. Check the disk",
					this.directory, MAX_CLOSE_TIME.toSeconds());
		}
	}

	private void closeFiles() {
		try {
			// Requests that are being handled may still append entries.
			awaitTasks();
			end();
			this.writer.join();
			awaitTasks();
			this.snapshots.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		this.log.close();
	}

	/** Waits until all tasks before this call have run, if they run at all. */
	private void awaitTasks() {
		this.serial.call(() -> {
		});
	}

}
