package io.statestore.broker.storage;

import java.nio.file.Path;

/**
 * Progress of a store's recovery. A recovery reads the latest snapshot, if there is one,
 * and then the log after it.
 *
 * @param directory the store's directory
 * @param part the part that is being read
 * @param bytesDone number of bytes read from this part
 * @param bytesTotal size of this part in bytes, including unused space at the end of the
 * log; 0 if it is empty
 * @param entries number of log entries read so far
 */
public record RecoveryProgress(Path directory, Part part, long bytesDone, long bytesTotal, long entries) {

	/**
	 * Returns how much of the part has been read.
	 * @return 0 to 1
	 */
	public double fraction() {
		return (this.bytesTotal > 0) ? (double) this.bytesDone / this.bytesTotal : 1;
	}

	/** The parts of a recovery, in reading order. */
	public enum Part {

		/** The latest snapshot. */
		SNAPSHOT,

		/** The log entries after the snapshot. */
		LOG

	}

}
