package io.statestore.history;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.dafka.DafkaRecord;
import org.jspecify.annotations.Nullable;

/** Queue with a limited size between the thread that adds records and their reader. */
final class RecordQueue {

	private static final int MAX_RECORDS = 4_096;

	private static final long MAX_BYTES = 8 << 20;

	private final Lock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private final Deque<DafkaRecord> records = new ArrayDeque<>();

	private long bytes;

	private @Nullable String failure;

	/** Adds a record, and waits for room if necessary. Drops it after a failure. */
	void put(DafkaRecord record) throws InterruptedException {
		this.lock.lock();
		try {
			while (this.failure == null && (this.records.size() >= MAX_RECORDS || this.bytes >= MAX_BYTES)) {
				this.changed.await();
			}
			if (this.failure == null) {
				this.records.add(record);
				this.bytes += record.content().size();
				this.changed.signalAll();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Ends the queue. Waiting and later reads fail with the reason. */
	void fail(String why) {
		this.lock.lock();
		try {
			if (this.failure == null) {
				this.failure = why;
				this.changed.signalAll();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Removes and returns the next record, {@code null} if none arrived in time. */
	@Nullable DafkaRecord take(long nanos) throws InterruptedException {
		this.lock.lock();
		try {
			long left = nanos;
			while (this.failure == null && this.records.isEmpty() && left > 0) {
				left = this.changed.awaitNanos(left);
			}
			if (this.failure != null) {
				throw new HistoryException(this.failure);
			}
			DafkaRecord record = this.records.poll();
			if (record != null) {
				this.bytes -= record.content().size();
				this.changed.signalAll();
			}
			return record;
		}
		finally {
			this.lock.unlock();
		}
	}

}
