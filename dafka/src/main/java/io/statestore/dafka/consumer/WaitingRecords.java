package io.statestore.dafka.consumer;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.dafka.DafkaRecord;

/**
 * Number and size of the records that wait for the listener, and their limits. The thread
 * of the node adds records, the thread of the listener removes them.
 */
final class WaitingRecords {

	/**
	 * Number of removed records after which the thread of the node sees the removals. It
	 * reads the counters for each record, so each write costs it a cache miss.
	 */
	private static final int RECORDS_PER_REPORT = 64;

	private final long maxRecords;

	private final long maxBytes;

	/** Added records; written by the thread of the node only. */
	private final AtomicLong addedRecords = new AtomicLong();

	private final AtomicLong addedBytes = new AtomicLong();

	/** Removed records that the node sees; written by the thread of the listener only. */
	private final AtomicLong removedRecords = new AtomicLong();

	private final AtomicLong removedBytes = new AtomicLong();

	/** Removed records that the node does not see yet, and their size in bytes. */
	private int unreportedRecords;

	private long unreportedBytes;

	/** Whether a record found no room since half of the room was last free. */
	private volatile boolean full;

	/** Whether half of the room became free, for the thread of the node. */
	private volatile boolean roomAgain;

	/** Wakes the thread of the node. */
	private volatile Runnable wake = () -> {
	};

	WaitingRecords(long maxRecords, long maxBytes) {
		this.maxRecords = maxRecords;
		this.maxBytes = maxBytes;
	}

	/** Sets what is called when half of the room is free after it was full. */
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
			// The last records may have been removed before the line above.
			return !isFull();
		}
		return true;
	}

	/** Returns, once, whether half of the room became free after it was full. */
	boolean pollRoomAgain() {
		boolean result = this.roomAgain;
		if (result) {
			this.roomAgain = false;
		}
		return result;
	}

	/** Adds a record. */
	void add(DafkaRecord record) {
		// With one writer no update is lost, and a fence for each record is not needed.
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

	/** Makes all removals visible to the thread of the node. */
	void flush() {
		report();
		// Otherwise, a node that has just found no room might not see the removals.
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
