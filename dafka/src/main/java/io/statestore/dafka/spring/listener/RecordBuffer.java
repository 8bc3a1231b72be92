package io.statestore.dafka.spring.listener;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.dafka.DafkaRecord;

/**
 * Records on their way from the thread of the consumer to that of the listener. When it
 * is full the consumer waits, and leaves what comes meanwhile to be fetched later.
 */
final class RecordBuffer {

	static final long MAX_BYTES = 8 << 20;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private final Queue<DafkaRecord> records = new ArrayDeque<>();

	private final int maxRecords;

	private long bytes;

	private boolean closed;

	RecordBuffer(int maxRecords) {
		this.maxRecords = maxRecords;
	}

	/** Waits for room; adds nothing once it is closed. */
	void put(DafkaRecord record) {
		this.lock.lock();
		try {
			while (!this.closed && (this.records.size() >= this.maxRecords || this.bytes >= MAX_BYTES)) {
				this.changed.awaitUninterruptibly();
			}
			if (!this.closed) {
				this.records.add(record);
				this.bytes += record.content().size();
				this.changed.signalAll();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Waits for records and takes all that are there.
	 * @return none if it was closed, or none came in time
	 */
	List<DafkaRecord> take(long nanos) {
		this.lock.lock();
		try {
			long left = nanos;
			while (this.records.isEmpty() && !this.closed && left > 0) {
				left = this.changed.awaitNanos(left);
			}
			List<DafkaRecord> taken = this.closed ? List.of() : new ArrayList<>(this.records);
			this.records.clear();
			this.bytes = 0;
			this.changed.signalAll();
			return taken;
		}
		catch (InterruptedException ex) {
			// Set by a listener; no other code interrupts this thread.
			return List.of();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Waits until it is closed. */
	void awaitClosed(long nanos) {
		this.lock.lock();
		try {
			long end = System.nanoTime() + nanos;
			for (long left = nanos; !this.closed && left > 0; left = end - System.nanoTime()) {
				this.changed.await(left, TimeUnit.NANOSECONDS);
			}
		}
		catch (InterruptedException ex) {
			// As above.
		}
		finally {
			this.lock.unlock();
		}
	}

	int size() {
		this.lock.lock();
		try {
			return this.records.size();
		}
		finally {
			this.lock.unlock();
		}
	}

	boolean isClosed() {
		this.lock.lock();
		try {
			return this.closed;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Ends all waiting; what is in it comes again later. */
	void close() {
		this.lock.lock();
		try {
			this.closed = true;
			this.records.clear();
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

}
