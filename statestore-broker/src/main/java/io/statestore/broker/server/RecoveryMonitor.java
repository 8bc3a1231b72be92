package io.statestore.broker.server;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.log.SnapshotInput;
import io.statestore.broker.storage.RecoveryListener;
import io.statestore.broker.storage.RecoveryProgress;
import io.statestore.broker.storage.RecoveryProgress.Part;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the progress of a recovery to a listener, and logs it every five seconds.
 */
final class RecoveryMonitor {

	private static final Logger logger = LoggerFactory.getLogger(RecoveryMonitor.class);

	private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final long LISTENER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final Path directory;

	private final @Nullable RecoveryListener listener;

	private final long start = System.nanoTime();

	/** Time of the latest log line. */
	private long logged = this.start;

	/** Time of the latest call to the listener. */
	private long notified = this.start;

	/** The part being read, {@code null} before the first part. */
	private @Nullable Part part;

	private long bytesTotal;

	private long entries;

	/**
	 * Creates a monitor for a recovery that begins now.
	 * @param directory the store's directory
	 * @param listener the listener, or {@code null} for none
	 */
	RecoveryMonitor(Path directory, @Nullable RecoveryListener listener) {
		this.directory = directory;
		this.listener = listener;
	}

	/**
	 * Returns a stream of a snapshot's content that reports the progress of reading it.
	 */
	InputStream read(SnapshotInput snapshot) {
		return new SnapshotStream(snapshot);
	}

	/** Called with the size of each batch, before {@link #replayed}. */
	void entriesRead(int entries) {
		this.entries += entries;
	}

	/** Called after each batch in the log. */
	void replayed(long bytesDone, long bytesTotal) {
		reached(Part.LOG, bytesDone, bytesTotal);
	}

	/** Called when all entries are applied. */
	void ended() {
		long total = (this.part == Part.LOG) ? this.bytesTotal : 0;
		notifyListener(Part.LOG, total, total);
	}

	/** Returns the time since the recovery began. */
	Duration duration() {
		return Duration.ofNanos(System.nanoTime() - this.start);
	}

	private void reached(Part part, long bytesDone, long bytesTotal) {
		long now = System.nanoTime();
		if (part != this.part || now - this.notified >= LISTENER_NANOS) {
			this.part = part;
			this.notified = now;
			notifyListener(part, bytesDone, bytesTotal);
		}
		this.bytesTotal = bytesTotal;
		if (now - this.logged >= LOG_NANOS) {
			this.logged = now;
			logger.info("Recovering the store from {}: {} of {} MiB of the {}", this.directory, bytesDone >> 20,
					bytesTotal >> 20, (part == Part.LOG) ? "log" : "snapshot");
		}
	}

	private void notifyListener(Part part, long bytesDone, long bytesTotal) {
		if (this.listener != null) {
			this.listener.recovering(new RecoveryProgress(this.directory, part, bytesDone, bytesTotal, this.entries));
		}
	}

	/** Stream that reports how much has been read. */
	private final class SnapshotStream extends FilterInputStream {

		private final long total;

		private long done;

		SnapshotStream(SnapshotInput snapshot) {
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
			reached(Part.SNAPSHOT, this.done, this.total);
			return count;
		}

	}

}
