package io.statestore.broker.log;

/** Receives the progress of a {@linkplain FileLog#replay replay}. */
@FunctionalInterface
public interface ReplayProgress {

	/**
	 * Called after each batch.
	 * @param bytesDone bytes of the log that were replayed
	 * @param bytesTotal bytes of the log to replay. Includes unused space at the end
	 */
	void replayed(long bytesDone, long bytesTotal);

}
