package io.statestore.broker.artemis.disk;

/**
 * Space for messages that are to be stored. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public interface DiskSpace {

	/** Space without a limit, for messages that are only in memory. */
	DiskSpace UNLIMITED = new DiskSpace() {

		@Override
		public boolean tryReserve(long bytes) {
			return true;
		}

		@Override
		public void release(long bytes) {
			// Nothing is reserved.
		}

	};

	/**
	 * Reserves space for a message.
	 * @param bytes size of the message
	 * @return whether the message can be stored
	 */
	boolean tryReserve(long bytes);

	/**
	 * Releases reserved space, because the message is stored, or will not be.
	 * @param bytes size of the message
	 */
	void release(long bytes);

}
