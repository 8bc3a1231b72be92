package io.statestore.dafka.consumer;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.dafka.DafkaRecord;

/**
 * Tracks the number and total size of the records waiting for the listener, and limits
 * both. The node's thread adds records; the listener's thread removes them.
 */
final class WaitingRecords {

	/**
	 * Number of removals after which they are reported to the node's thread. That thread
	 * reads the counters for each record, so each write costs it a cache miss.
	 */
	private static final int RECORDS_PER_REPORT = 64;

	private final long maxRecords;

	private final long maxBytes;

	/** Number of added records; written only by the node's thread. */
	private final AtomicLong addedRecords = new AtomicLong();

	private final AtomicLong addedBytes = new AtomicLong();

	/** Number of removals that the node sees; written only by the listener's thread. */
	private final AtomicLong removedRecords = new AtomicLong();

	private final AtomicLong removedBytes = new AtomicLong();

	/** Number of removals that the node does not see yet. */
	private int unreportedRecords;

	private long unreportedBytes;

	/** Whether a record has found no room since half of the room was last free. */
	private volatile boolean full;

	/** Tells the node's thread that half of the room became free. */
	private volatile boolean roomAgain;

	private volatile Runnable wake = () -> {
	};

	WaitingRecords(long maxRecords, long maxBytes) {
		this.maxRecords = maxRecords;
		this.maxBytes = maxBytes;
	}

	/** Sets the callback for when half of the room is free again after there was none. */
	void onRoom(Runnable wake) {
		this.wake = wake;
	}

	/**
	 * Returns whether there is room for one more record. If not, {@link #pollRoomAgain}
	 * returns {@code true} once half of the room is free.
	 */
	boolean hasRoom() {
		if (isFull()) {
			this.full = true;
			// The listener may have removed the last records before it could see the
			// flag.
			return !isFull();
		}
		return true;
	}

	/** Returns {@code true} once after half of the room became free again. */
	boolean pollRoomAgain() {
		boolean result = this.roomAgain;
		if (result) {
			this.roomAgain = false;
		}
		return result;
	}

	/** Counts a record that was put in the queue. */
	void add(DafkaRecord record) {
		// With only one writer, no update is lost, and a fence per record is unnecessary.
		this.addedRecords.lazySet(this.addedRecords.get() + 1);
		this.addedBytes.lazySet(this.addedBytes.get() + record.content().size());
	}

	/** Removes a record that was processed or discarded. */
	void remove(DafkaRecord record) {
		this.unreportedRecords++;
		this.unreportedBytes += record.content().size();
		if (this.full || this.unreportedRecords == RECORDS_PER_REPORT) {
			report();
			checkRoom();
		}
	}

	/** Makes all removals visible to the node's thread. */
	void flush() {
		report();
		// Without this fence, a node that has just found no room might miss the removals.
		VarHandle.fullFence();
		checkRoom();
	}

	private void report() {
		this.removedBytes.lazySet(this.removedBytes.get() + this.unreportedBytes);
		this.removedRecords.lazySet(this.removedRecords.get() + this.unreportedRecords);
		this.unreportedBytes = 0;
		this.unreportedRecords = 0;
	}

	private void checkRoom() {
		if (this.full && records() <= this.maxRecords / 2 && bytes() <= this.maxBytes / 2) {
			this.full = false;
			this.roomAgain = true;
			this.wake.run();
		}
	}

	private boolean isFull() {
		return records() >= this.maxRecords || bytes() >= this.maxBytes;
	}

	private long records() {
		return this.addedRecords.get() - this.removedRecords.get();
	}

	private long bytes() {
		return this.addedBytes.get() - this.removedBytes.get();
	}

}
