package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

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
public final class DiskState implements IOCriticalErrorListener, DiskSpace {

	private static final Logger logger = LoggerFactory.getLogger(DiskState.class);

	/**
	 * Free space in bytes below which messages are refused. Larger than what the journal
	 * may add between two checks, so that it never meets a full disk.
	 */
	static final long MIN_FREE = 16L * 1024 * 1024;

	private final Path directory;

	/** Space that the journal takes over when the disk is full, by folder. */
	private final Map<String, ReserveFiles> reserves;

	private final DiskRetry retry;

	private final FreeSpace freeSpace;

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	/** Free space at the latest check in bytes. */
	private long free;

	/** Size of accepted messages that are not known to be stored in bytes. */
	private long reserved;

	/** Size of messages stored since the latest check began in bytes. */
	private long stored;

	private boolean full;

	/**
	 * Creates a state.
	 * @param directory directory of the journal, which exists
	 * @param reserves space that the journal takes over when the disk is full, by folder
	 */
	DiskState(Path directory, Map<String, ReserveFiles> reserves) {
		this(directory, reserves, () -> Files.getFileStore(directory).getUsableSpace());
	}

	DiskState(Path directory, Map<String, ReserveFiles> reserves, FreeSpace freeSpace) {
		this.directory = directory;
		this.reserves = reserves;
		this.retry = new DiskRetry(directory);
		this.freeSpace = freeSpace;
		check();
	}

	/** Returns the retries of failed journal operations. */
	DiskRetry retry() {
		return this.retry;
	}

	/**
	 * Returns the reserve of a journal.
	 * @param folder name of its folder
	 */
	ReserveFiles reserve(String folder) {
		ReserveFiles reserve = this.reserves.get(folder);
		if (reserve == null) {
			throw new IllegalArgumentException("No reserve for the folder '" + folder + "'");
		}
		return reserve;
	}

	/** Handles the stop of the broker. The journal no longer waits for a full disk. */
	public void stop() {
		this.retry.stop();
	}

	/**
	 * Reserves space for a message that is to be stored. Does not use the disk.
	 * @param bytes size of the message
	 * @return {@code false} if the disk is nearly full, while the journal waits for it,
	 * or after a failure
	 */
	@Override
	public boolean tryReserve(long bytes) {
		if (this.failure.get() != null || this.retry.isWaiting()) {
			return false;
		}
		synchronized (this) {
			if (this.free - this.reserved - this.stored - bytes < MIN_FREE) {
				becameFull();
				return false;
			}
			this.reserved += bytes;
			return true;
		}
	}

	@Override
	public synchronized void release(long bytes) {
		this.reserved -= bytes;
		this.stored += bytes;
	}

	/** Returns whether there is space for bytes that no client has sent. */
	synchronized boolean hasSpace(long bytes) {
		return this.free - this.reserved - this.stored - bytes >= MIN_FREE;
	}

	/**
	 * Reads the free space, and restores the reserve. To be called every 20 to 100 ms.
	 */
	public void check() {
		long before;
		synchronized (this) {
			before = this.stored;
		}
		try {
			long bytes = this.freeSpace.bytes();
			synchronized (this) {
				this.free = bytes;
				this.stored -= before;
				checked();
			}
			for (ReserveFiles reserve : this.reserves.values()) {
				if (hasSpace(reserve.missing())) {
					reserve.fill();
				}
			}
		}
		catch (IOException ex) {
			logger.debug("Failed to read the free space of {}, or to restore the reserve", this.directory, ex);
		}
	}

	private void checked() {
		if (this.free < MIN_FREE) {
			becameFull();
		}
		else if (this.full && this.free - this.reserved >= MIN_FREE) {
			this.full = false;
			logger.info("{} MiB are free for {} again: MQTT messages are stored", this.free >> 20, this.directory);
		}
	}

	private void becameFull() {
		if (!this.full) {
			this.full = true;
			logger.warn(
					"Only {} MiB are free for {}: MQTT messages that must be stored are refused until {} MiB are "
							+ "free. The state store does not depend on this",
					this.free >> 20, this.directory, MIN_FREE >> 20);
		}
	}

	@Override
	public boolean isPreviouslyFailed() {
		return this.failure.get() != null;
	}

	/** Handles a failure of the journal, from which it does not recover. */
	@Override
	public void onIOException(Throwable cause, String message, @Nullable String file) {
		if (this.failure.compareAndSet(null, cause) && !this.retry.isStopping()) {
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
