package io.statestore.broker.storage;

import java.nio.file.Path;

/**
 * Progress of a store's recovery. A recovery reads the latest snapshot, if there is one,
 * and then the log behind it.
 *
 * @param directory directory of the store
 * @param part the part that is being read
 * @param bytesDone number of bytes of this part that were read
 * @param bytesTotal size of this part in bytes, 0 if it is empty. Includes unused space
 * at the end of the log
 * @param entries number of entries of the log that were read so far
 */
public record RecoveryProgress(Path directory, Part part, long bytesDone, long bytesTotal, long entries) {

	/**
	 * Returns how much of the part was read.
	 * @return 0 to 1
	 */
	public double fraction() {
		return (this.bytesTotal > 0) ? (double) this.bytesDone / this.bytesTotal : 1;
	}

	/** Part of a recovery, in the order of reading. */
	public enum Part {

		/** The latest snapshot. */
		SNAPSHOT,

		/** The entries behind the snapshot. */
		LOG

	}

}
