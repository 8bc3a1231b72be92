package io.statestore.dafka.consumer;

import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.DafkaException;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that calls the listener, the bounded queue in front of it, and the offsets
 * behind it.
 */
final class Delivery {

	private static final Logger logger = LoggerFactory.getLogger(Delivery.class);

	/**
	 * Records after which the node's thread learns of them. It reads the counters for
	 * each record, so writing them as often would be a cache miss for each record.
	 */
	private static final int RECORDS_PER_REPORT = 64;

	private final RecordListener listener;

	private final OffsetStore offsets;

	private final long commitNanos;

	private final long maxRecords;

	private final long maxBytes;

	private final Runnable roomAgain;

	private final Queue<Batch> queue = new ConcurrentLinkedQueue<>();

	private final Semaphore signal = new Semaphore(0);

	/** Of records that came; only the node's thread writes them. */
	private final AtomicLong reservedRecords = new AtomicLong();

	private final AtomicLong reservedBytes = new AtomicLong();

	/** Of those that the listener had; only its thread writes them. */
	private final AtomicLong doneRecords = new AtomicLong();

	private final AtomicLong doneBytes = new AtomicLong();

	/** Records since the last report, and their bytes. */
	private int unreportedRecords;

	private long unreportedBytes;

	private final Map<TopicPartition, Long> uncommitted = new HashMap<>();

	private final Thread thread;

	final LongAdder delivered = new LongAdder();

	final LongAdder failedRecords = new LongAdder();

	private volatile boolean full;

	private volatile boolean closing;

	private volatile @Nullable Throwable failure;

	private Runnable failed = () -> {
	};

	private long committedAt = System.nanoTime();

	Delivery(RecordListener listener, OffsetStore offsets, long commitNanos, long maxRecords, long maxBytes,
			Runnable roomAgain) {
		this.listener = listener;
		this.offsets = offsets;
		this.commitNanos = commitNanos;
		this.maxRecords = maxRecords;
		this.maxBytes = maxBytes;
		this.roomAgain = roomAgain;
		this.thread = new Thread(this::run, "dafka-consumer-listener");
		this.thread.setDaemon(true);
	}

	/**
	 * Sets what is called after {@link #failure()} was set. To be called before start.
	 */
	void onFailure(Runnable failed) {
		this.failed = failed;
	}

	void start() {
		this.thread.start();
	}

	/** Returns the error that ended the thread, {@code null} while it works. */
	@Nullable Throwable failure() {
		return this.failure;
	}

	/** Whether one more record may come; if not, {@code roomAgain} will be called. */
	boolean hasRoom() {
		if (isFull()) {
			this.full = true;
			// The last batch may have been taken before the line above.
			return !isFull();
		}
		return true;
	}

	/** Counts a record that is about to be put. */
	void reserve(DafkaRecord record) {
		// There is one writer, so nothing is lost, and no fence is needed for each
		// record.
		this.reservedRecords.lazySet(this.reservedRecords.get() + 1);
		this.reservedBytes.lazySet(this.reservedBytes.get() + record.content().size());
	}

	void put(Batch batch) {
		this.queue.add(batch);
		this.signal.release();
	}

	/** Ends after the listener returned, and saves the offsets. */
	void close(long timeoutNanos) throws InterruptedException {
		this.closing = true;
		this.signal.release();
		if (Thread.currentThread() != this.thread) {
			this.thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNanos)));
		}
	}

	private boolean isFull() {
		return waitingRecords() >= this.maxRecords || waitingBytes() >= this.maxBytes;
	}

	private long waitingRecords() {
		return this.reservedRecords.get() - this.doneRecords.get();
	}

	private long waitingBytes() {
		return this.reservedBytes.get() - this.doneBytes.get();
	}

	private void run() {
		try {
			try {
				deliverUntilClosed();
			}
			finally {
				commit();
			}
		}
		catch (Throwable ex) {
			this.failure = ex;
			logger.error("The consumer stops because its listener failed with an error. Fix the listener and start "
					+ "another consumer", ex);
			this.failed.run();
		}
	}

	private void deliverUntilClosed() {
		while (!this.closing) {
			Batch batch = this.queue.poll();
			if (batch != null) {
				deliver(batch);
			}
			else {
				await();
			}
			if (System.nanoTime() - this.committedAt >= this.commitNanos) {
				commit();
			}
		}
	}

	private void await() {
		try {
			if (this.signal.tryAcquire(this.commitNanos, TimeUnit.NANOSECONDS)) {
				this.signal.drainPermits();
			}
		}
		catch (InterruptedException ex) {
			// Set by a listener; no other code interrupts this thread.
		}
	}

	private void deliver(Batch batch) {
		ReadPartition partition = batch.partition();
		deliverRecords(batch, partition);
		batch.lost().ifPresent((lost) -> {
			if (partition.isCurrent(batch.epoch())) {
				tellLost(partition, lost);
				if (partition.consumed(batch.epoch(), lost.first() + lost.count())) {
					this.uncommitted.put(partition.names(), lost.first() + lost.count());
				}
			}
		});
		report();
		// Or a node that just found no room might not see it.
		VarHandle.fullFence();
		checkRoom();
	}

	/** Counts a record that the listener had, or will not get. */
	private void done(DafkaRecord record) {
		this.unreportedRecords++;
		this.unreportedBytes += record.content().size();
		if (this.full || this.unreportedRecords == RECORDS_PER_REPORT) {
			report();
			checkRoom();
		}
	}

	private void report() {
		this.doneBytes.lazySet(this.doneBytes.get() + this.unreportedBytes);
		this.doneRecords.lazySet(this.doneRecords.get() + this.unreportedRecords);
		this.unreportedBytes = 0;
		this.unreportedRecords = 0;
	}

	private void checkRoom() {
		if (this.full && waitingRecords() <= this.maxRecords / 2 && waitingBytes() <= this.maxBytes / 2) {
			this.full = false;
			this.roomAgain.run();
		}
	}

	private void deliverRecords(Batch batch, ReadPartition partition) {
		long next = -1;
		try {
			for (DafkaRecord record : batch.records()) {
				if (!this.closing && partition.isCurrent(batch.epoch())) {
					deliver(record);
					if (partition.consumed(batch.epoch(), record.offset() + 1)) {
						next = record.offset() + 1;
					}
				}
				done(record);
			}
		}
		finally {
			if (next >= 0) {
				this.uncommitted.put(partition.names(), next);
			}
		}
	}

	private void deliver(DafkaRecord record) {
		this.delivered.increment();
		try {
			this.listener.onRecord(record);
		}
		catch (Exception ex) {
			this.failedRecords.increment();
			handleError(record, ex);
		}
		catch (Error ex) {
			this.failedRecords.increment();
			handleError(record, new DafkaException("The listener failed with an error, which stops the consumer", ex));
			throw ex;
		}
	}

	private void handleError(DafkaRecord record, Exception failure) {
		try {
			this.listener.onError(record, failure);
		}
		catch (RuntimeException ex) {
			logger.error("The error handler of the listener failed", ex);
		}
	}

	private void tellLost(ReadPartition partition, Batch.Lost lost) {
		try {
			this.listener.onLost(partition.names(), lost.first(), lost.count());
		}
		catch (RuntimeException ex) {
			logger.error("The listener failed when told of lost records", ex);
		}
	}

	private void commit() {
		this.committedAt = System.nanoTime();
		if (this.uncommitted.isEmpty()) {
			return;
		}
		try {
			this.offsets.save(Map.copyOf(this.uncommitted));
			this.uncommitted.clear();
		}
		catch (RuntimeException ex) {
			logger.error("Offsets are not saved, records may come again after a restart", ex);
		}
	}

}
