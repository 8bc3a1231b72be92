package io.statestore.client.mqtt.internal;

/**
 * Amount of data that a link has transferred so far, in both directions.
 *
 * @param received progress of reading
 * @param sent progress of writing
 */
record TransferProgress(Direction received, Direction sent) {

	/** Progress of a link that does not report it. */
	static final TransferProgress UNKNOWN = new TransferProgress(Direction.NONE, Direction.NONE);

	/**
	 * Returns whether a single packet has occupied a direction since then. Packets behind
	 * such a large packet have to wait.
	 * @param earlier earlier progress of the same link
	 * @return {@code true} if bytes of one packet have moved, and of no other
	 */
	boolean isWithinPacketSince(TransferProgress earlier) {
		return this.received.isWithinPacketSince(earlier.received) || this.sent.isWithinPacketSince(earlier.sent);
	}

	/**
	 * Progress of one direction.
	 *
	 * @param packets number of packets begun
	 * @param bytes number of bytes transferred
	 */
	record Direction(long packets, long bytes) {

		static final Direction NONE = new Direction(0, 0);

		boolean isWithinPacketSince(Direction earlier) {
			return this.packets == earlier.packets && this.bytes > earlier.bytes;
		}

	}

}
