package io.statestore.broker.log;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when writing or forcing a batch failed. If the log is usable afterward, the
 * batch is rejected for good: no replay returns it. If {@linkplain FileLog#isFailed() the
 * log has failed}, the outcome of the batch is unknown until the store starts again, and
 * the log rejects all further batches.
 */
public final class LogFailedException extends LogException {

	private static final long serialVersionUID = 1L;

	LogFailedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
