package io.statestore.broker.log;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/** Whether a log can be used. It may be closed, or have failed. Thread-safe. */
final class LogState {

	private volatile boolean closed;

	private volatile @Nullable LogFailedException failure;

	@Nullable LogFailedException failure() {
		return this.failure;
	}

	/** Refuses a closed log, whose files may belong to another process. */
	void requireOpen() {
		if (this.closed) {
			throw new IllegalStateException("The log is closed");
		}
	}

	void requireUsable() {
		requireOpen();
		LogFailedException failure = this.failure;
		if (failure != null) {
			throw new LogFailedException("The log has failed and accepts no more batches. Start the store again",
					failure);
		}
	}

	/** Makes the log unusable. */
	LogFailedException fail(Path file, Throwable cause) {
		LogFailedException failure = new LogFailedException("Writing to " + file + " failed: " + cause
				+ ". The log accepts no more batches. Check the disk, then start the store again", cause);
		this.failure = failure;
		return failure;
	}

	/** Closes the log. Call this under the {@linkplain LogSegments#lock() lock}. */
	void close() {
		this.closed = true;
	}

}
