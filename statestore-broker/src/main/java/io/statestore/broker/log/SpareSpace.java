package io.statestore.broker.log;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Disk space that a log keeps allocated ahead of its end so that appending cannot fail
 * for lack of space. While less than half of it is allocated, the disk counts as full and
 * only essential entries are accepted. These may use the third quarter of the spare
 * space; the last quarter is for entries that were already accepted. Without spare space,
 * the disk never counts as full, and appending fails instead. Successive logs may share
 * it. Thread-safe.
 */
public final class SpareSpace {

	private static final Logger logger = LoggerFactory.getLogger(SpareSpace.class);

	private final int bytes;

	/**
	 * Allocated space, in bytes. Until a log is open, the disk does not count as full.
	 */
	private volatile long allocated = Long.MAX_VALUE;

	/**
	 * Creates the spare space for a log.
	 * @param bytes space to keep allocated, in bytes; 0 for none
	 */
	public SpareSpace(int bytes) {
		this.bytes = bytes;
	}

	/**
	 * Returns how much space to keep allocated.
	 * @return the space, in bytes
	 */
	public int bytes() {
		return this.bytes;
	}

	/**
	 * Returns how much space is currently allocated.
	 * @return the space, in bytes
	 */
	public long allocated() {
		return this.allocated;
	}

	/**
	 * Returns whether the disk is full.
	 * @return whether all but essential entries must be refused
	 */
	public boolean isFull() {
		return this.allocated < this.bytes / 2;
	}

	/**
	 * Returns whether to accept an entry.
	 * @param essential whether the store cannot serve requests without the entry
	 * @return whether the entry may use the spare space
	 */
	public boolean accepts(boolean essential) {
		return this.allocated >= this.bytes / (essential ? 4 : 2);
	}

	/**
	 * Sets how much space is currently allocated. Called by the log.
	 * @param allocated the space, in bytes
	 */
	public void update(long allocated) {
		boolean wasFull = isFull();
		this.allocated = allocated;
		if (isFull() && !wasFull) {
			logger.error("The disk is full: this node accepts no more entries. Free space on the disk; the node then "
					+ "continues on its own");
		}
		else if (wasFull && !isFull()) {
			logger.info("There is space on the disk again");
		}
	}

}
