package io.statestore.broker.server;

import java.io.IOError;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.engine.StateSnapshot;
import io.statestore.broker.history.StoreHistory;
import io.statestore.broker.log.FileLog;
import io.statestore.broker.log.LogFailedException;
import io.statestore.broker.log.LogStatistics;
import io.statestore.broker.log.SnapshotOutput;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes snapshots while the store is running, so that the log can be shortened. A
 * snapshot's slices are encoded within the serial executor and written by another thread.
 */
final class SnapshotWriter {

	private static final Logger logger = LoggerFactory.getLogger(SnapshotWriter.class);

	/**
	 * Default for {@link #minLogBytes}. Reading a log of this size takes less than a
	 * second.
	 */
	static final long MIN_LOG_BYTES = 64L << 20;

	/**
	 * How much more the log may grow than the snapshot before the snapshot counts as
	 * late, in bytes.
	 */
	private static final long MAX_LAG_BYTES = 1L << 20;

	private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final FileLog log;

	private final StateMachine machine;

	private final SerialExecutor serial;

	/**
	 * Log size after the latest snapshot below which no snapshot is written, in bytes.
	 */
	private final long minLogBytes;

	/** Maximum memory for keys that change before they are written, in bytes. */
	private final long maxKept;

	private final @Nullable StoreHistory history;

	private final Consumer<Error> onError;

	/** The thread that is writing a snapshot. Set within the serial executor. */
	private @Nullable Thread thread;

	/** The snapshot being encoded. Used within the serial executor. */
	private @Nullable StateSnapshot current;

	private volatile boolean ended;

	/** Whether the latest attempt failed. */
	private volatile boolean failing;

	private volatile long notBefore = System.nanoTime();

	/**
	 * Creates a writer.
	 * @param recovery the recovered store
	 * @param onError receives an error that makes the log unusable
	 */
	SnapshotWriter(Recovery recovery, SerialExecutor serial, ServerTuning tuning, Consumer<Error> onError) {
		this.log = recovery.log();
		this.machine = recovery.machine();
		this.history = recovery.history();
		this.serial = serial;
		this.minLogBytes = tuning.minLogBytes();
		this.maxKept = tuning.maxHeld() / 2;
		this.onError = onError;
	}

	/**
	 * Begins a snapshot if the log has grown enough. Called within the serial executor.
	 * @param index index of the last applied entry
	 */
	void update(long index) {
		if (this.current != null && this.current.keptBytes() > this.maxKept) {
			abandon(this.current);
		}
		if (this.thread != null || this.ended || this.machine.hasSnapshot() || !checkDue()) {
			return;
		}
		StateSnapshot snapshot = this.machine.beginSnapshot();
		if (this.history != null) {
			this.history.cut();
		}
		this.current = snapshot;
		this.thread = new Thread(() -> run(snapshot, index), "statestore-snapshot");
		this.thread.setDaemon(true);
		this.thread.start();
	}

	/** Ends a snapshot that holds too much memory. A later attempt follows. */
	private void abandon(StateSnapshot snapshot) {
		if (!this.failing) {
			this.failing = true;
			logger.warn("Abandoned a snapshot of the store, because keys change faster than the disk can store it. The "
					+ "log grows until a snapshot succeeds; the store tries again every minute. If this happens "
					+ "repeatedly, use a faster disk");
		}
		snapshot.close();
		this.current = null;
	}

	/** Returns whether the log has grown enough. Checks its size only occasionally. */
	private boolean checkDue() {
		long now = System.nanoTime();
		if (now - this.notBefore < 0) {
			return false;
		}
		this.notBefore = now + CHECK_NANOS;
		LogStatistics statistics = this.log.statistics();
		return statistics.bytesSinceSnapshot() > Math.max(this.minLogBytes, 2 * statistics.snapshotBytes());
	}

	/** Abandons a snapshot that is being written. Called within the serial executor. */
	void end() {
		this.ended = true;
	}

	/** After {@link #end()}, waits until nothing is being written. */
	void join() throws InterruptedException {
		Thread thread = this.thread;
		if (thread != null) {
			thread.join();
		}
	}

	private void run(StateSnapshot snapshot, long index) {
		try {
			write(snapshot, index);
		}
		catch (Error ex) {
			this.onError.accept(ex);
		}
		finally {
			this.serial.execute(() -> {
				snapshot.close();
				this.current = null;
				this.thread = null;
			});
		}
	}

	private void write(StateSnapshot snapshot, long index) {
		long start = System.nanoTime();
		long written = this.log.statistics().writtenBytes();
		SnapshotSlices slices = new SnapshotSlices(snapshot, this.serial, () -> this.ended,
				(bytes) -> snapshot.keptBytes() > this.maxKept / 2
						|| this.log.statistics().writtenBytes() - written > bytes + MAX_LAG_BYTES);
		try (SnapshotOutput output = this.log.beginSnapshot(index)) {
			if (!slices.writeTo(output)) {
				return;
			}
			output.finish();
			if (this.ended) {
				return;
			}
			commit(output, index);
			this.failing = false;
			logger.debug("Wrote a snapshot of entry {} in {} ms", index,
					TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
		}
		catch (LogFailedException ex) {
			throw new IOError(ex);
		}
		catch (IOException | RuntimeException ex) {
			this.notBefore = System.nanoTime() + RETRY_NANOS;
			if (this.history != null) {
				// Old files may occupy space that the snapshot needs.
				this.history.compact();
			}
			if (!this.failing) {
				this.failing = true;
				logger.warn(
						"Failed to write a snapshot of the store. The log grows until a snapshot succeeds; the "
								+ "store tries again every minute. Check the free space on the disk: {}",
						ex.toString());
			}
		}
	}

	private void commit(SnapshotOutput output, long index) throws IOException {
		StoreHistory history = this.history;
		if (history == null) {
			output.commit();
			return;
		}
		history.writeChanges(index);
		output.commit();
		this.serial.call(() -> history.collectBehind(index));
		history.compact();
	}

}
