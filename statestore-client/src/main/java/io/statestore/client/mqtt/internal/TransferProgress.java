package io.statestore.client.mqtt.internal;

import io.statestore.mqtt.Progress;

/**
 * Amount of data that a link has transferred so far, in both directions.
 *
 * @param received progress of reading
 * @param sent progress of writing
 */
record TransferProgress(Progress received, Progress sent) {

	/** Progress of a link that does not report it. */
	static final TransferProgress UNKNOWN = new TransferProgress(Progress.NONE, Progress.NONE);

	/**
	 * Returns whether a single packet has occupied a direction since then. Packets behind
	 * such a large packet have to wait.
	 * @param earlier earlier progress of the same link
	 * @return {@code true} if bytes of one packet have moved, and of no other
	 */
	boolean isWithinPacketSince(TransferProgress earlier) {
		return isWithinPacket(this.received, earlier.received) || isWithinPacket(this.sent, earlier.sent);
	}

	private static boolean isWithinPacket(Progress progress, Progress earlier) {
		return progress.packets() == earlier.packets() && progress.bytes() > earlier.bytes();
	}

}
