package io.statestore.broker.log;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when writing or forcing a batch failed. If the log is usable afterward, the
 * batch is permanently rejected: no replay returns it. If {@linkplain FileLog#isFailed()
 * the log has failed}, the batch's outcome is unknown until the store restarts, and the
 * log rejects all later batches.
 */
public final class LogFailedException extends LogException {

	private static final long serialVersionUID = 1L;

	LogFailedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
