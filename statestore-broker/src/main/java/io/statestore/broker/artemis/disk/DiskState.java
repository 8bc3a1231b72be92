package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import org.apache.activemq.artemis.core.io.IOCriticalErrorListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State of the disk with the journal of Artemis. While the disk is nearly full, or after
 * a failure of the journal, messages that the journal would store are refused. The state
 * store does not depend on it. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class DiskState implements IOCriticalErrorListener {

	private static final Logger logger = LoggerFactory.getLogger(DiskState.class);

	/**
	 * Free space in bytes below which messages are refused. Larger than what the journal
	 * may add between two checks, so that it never meets a full disk.
	 */
	static final long MIN_FREE = 16L * 1024 * 1024;

	private static final long CHECK_INTERVAL_NANOS = 20_000_000;

	private final Path directory;

	private final LongSupplier nanoTime;

	private final FreeSpace freeSpace;

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	private final AtomicBoolean full = new AtomicBoolean();

	private volatile long checkedAt;

	/**
	 * Creates a state.
	 * @param directory directory of the journal, which exists
	 * @param nanoTime returns monotonic time in nanoseconds
	 */
	public DiskState(Path directory, LongSupplier nanoTime) {
		this(directory, nanoTime, () -> Files.getFileStore(directory).getUsableSpace());
	}

	DiskState(Path directory, LongSupplier nanoTime, FreeSpace freeSpace) {
		this.directory = directory;
		this.nanoTime = nanoTime;
		this.freeSpace = freeSpace;
		this.checkedAt = nanoTime.getAsLong() - CHECK_INTERVAL_NANOS;
	}

	/**
	 * Returns whether the journal can store messages.
	 * @return {@code false} if the disk is nearly full, or after a failure
	 */
	public boolean isWritable() {
		long now = this.nanoTime.getAsLong();
		if (now - this.checkedAt >= CHECK_INTERVAL_NANOS) {
			this.checkedAt = now;
			check();
		}
		return !this.full.get() && this.failure.get() == null;
	}

	private void check() {
		long free;
		try {
			free = this.freeSpace.bytes();
		}
		catch (IOException ex) {
			logger.debug("Failed to read the free space of {}", this.directory, ex);
			return;
		}
		if (free < MIN_FREE && this.full.compareAndSet(false, true)) {
			logger.warn(
					"Only {} MiB are free for {}: MQTT messages that must be stored are refused until {} MiB are "
							+ "free. The state store does not depend on this",
					free >> 20, this.directory, MIN_FREE >> 20);
		}
		else if (free >= MIN_FREE && this.full.compareAndSet(true, false)) {
			logger.info("{} MiB are free for {} again: MQTT messages are stored", free >> 20, this.directory);
		}
	}

	@Override
	public boolean isPreviouslyFailed() {
		return this.failure.get() != null;
	}

	/** Handles a failure of the journal, from which it does not recover. */
	@Override
	public void onIOException(Throwable cause, String message, @Nullable String file) {
		if (this.failure.compareAndSet(null, cause)) {
			logger.error(
					"The journal of MQTT messages failed: {} ({}). MQTT messages that must be stored are refused "
							+ "until the broker is restarted. The state store continues",
					message, (file != null) ? file : this.directory, cause);
		}
	}

	/** Source of the free space. */
	interface FreeSpace {

		/** Returns the free space in bytes. */
		long bytes() throws IOException;

	}

}
