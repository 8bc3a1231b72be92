package io.statestore.broker.log;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Disk space that a log keeps allocated ahead of its end, so that appending cannot fail
 * for lack of it. While less than half of it can be allocated, the disk is full, and only
 * essential entries are accepted. They may use half of what is left then. The rest is for
 * entries that were accepted before. Without spare space, the disk never counts as full,
 * and appending fails instead. May be used by one log after another. Thread-safe.
 */
public final class SpareSpace {

	private static final Logger logger = LoggerFactory.getLogger(SpareSpace.class);

	private final int bytes;

	/** Space that is allocated. Until a log is open, the disk does not count as full. */
	private volatile long allocated = Long.MAX_VALUE;

	/**
	 * Creates the space of a log.
	 * @param bytes space to keep allocated, in bytes; 0 for none
	 */
	public SpareSpace(int bytes) {
		this.bytes = bytes;
	}

	/**
	 * Returns the space to keep allocated.
	 * @return the space, in bytes
	 */
	public int bytes() {
		return this.bytes;
	}

	/**
	 * Returns the space that is allocated.
	 * @return the space, in bytes
	 */
	public long allocated() {
		return this.allocated;
	}

	/**
	 * Returns whether the disk is full.
	 * @return whether entries must be refused, unless they are essential
	 */
	public boolean isFull() {
		return this.allocated < this.bytes / 2;
	}

	/**
	 * Returns whether to accept an entry.
	 * @param essential whether the store cannot serve without it
	 * @return whether the entry may use the space
	 */
	public boolean accepts(boolean essential) {
		return this.allocated >= this.bytes / (essential ? 4 : 2);
	}

	/**
	 * Sets the space that is allocated. The log calls this.
	 * @param allocated the space, in bytes
	 */
	public void update(long allocated) {
		boolean wasFull = isFull();
		this.allocated = allocated;
		if (isFull() && !wasFull) {
			logger.error("The disk is full: this node accepts no more entries. Free space on the disk; "
					+ "the node continues by itself");
		}
		else if (wasFull && !isFull()) {
			logger.info("There is space on the disk again");
		}
	}

}
