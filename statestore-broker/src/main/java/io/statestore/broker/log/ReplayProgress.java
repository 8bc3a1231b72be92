package io.statestore.broker.log;

/** Receives the progress of a {@linkplain FileLog#replay replay}. */
@FunctionalInterface
public interface ReplayProgress {

	/**
	 * Called after each batch.
	 * @param bytesDone number of bytes replayed so far
	 * @param bytesTotal number of bytes to replay, including unused space at the end of
	 * the log
	 */
	void replayed(long bytesDone, long bytesTotal);

}
