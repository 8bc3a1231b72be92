package io.statestore.cluster.storage;

import java.util.concurrent.atomic.AtomicLong;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Room on the disk for entries of the log. The log keeps space allocated ahead of its
 * end. While it cannot, the disk is full: the node accepts no more entries, and uses what
 * is left for entries in flight and for those of JRaft itself. Thread-safe.
 */
public final class Space {

	private static final Logger logger = LoggerFactory.getLogger(Space.class);

	/** What an entry takes besides its content, in bytes, at most. */
	private static final int ENTRY_BYTES = 64;

	private final int spareBytes;

	private final AtomicLong reserved = new AtomicLong();

	private volatile boolean full;

	/**
	 * Creates an object for a log.
	 * @param spareBytes space to keep allocated, in bytes
	 */
	public Space(int spareBytes) {
		this.spareBytes = spareBytes;
	}

	int spareBytes() {
		return this.spareBytes;
	}

	/** Sets the space that is allocated. */
	void update(long allocated) {
		boolean full = allocated < this.spareBytes / 2;
		if (full != this.full) {
			this.full = full;
			if (full) {
				logger.error("The disk is full: this node accepts no more entries. Free space on the disk; "
						+ "the node continues by itself");
			}
			else {
				logger.info("There is space on the disk again");
			}
		}
	}

	/**
	 * Returns whether the disk is full.
	 * @return whether entries must be refused
	 */
	public boolean isFull() {
		return this.full;
	}

	/**
	 * Reserves room for an entry of this node.
	 * @param bytes size of the entry
	 * @return {@code false} if too much is in flight
	 */
	public boolean reserve(int bytes) {
		long cost = (long) bytes + ENTRY_BYTES;
		// Half of the rest is for JRaft itself.
		if (this.reserved.addAndGet(cost) > this.spareBytes / 4) {
			this.reserved.addAndGet(-cost);
			return false;
		}
		return true;
	}

	/**
	 * Returns the room of an entry, which is in the log or was refused.
	 * @param bytes size of the entry
	 */
	public void release(int bytes) {
		this.reserved.addAndGet(-(long) bytes - ENTRY_BYTES);
	}

}
