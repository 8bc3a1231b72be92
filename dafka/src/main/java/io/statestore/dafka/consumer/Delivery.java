package io.statestore.dafka.consumer;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a listener's thread. Passes records from a queue to the handler and saves the
 * offsets of processed records. Ends when stopped, when the handler stops it, or when the
 * handler fails. All methods are thread-safe.
 */
final class Delivery {

	private static final Logger logger = LoggerFactory.getLogger(Delivery.class);

	/** Size in bytes at which a call receives no more records. */
	private static final long MAX_CALL_BYTES = 8 << 20;

	/** Number of records passed to the handler. */
	final LongAdder delivered = new LongAdder();

	private final RecordHandler handler;

	private final int maxRecords;

	private final WaitingRecords waiting;

	private final long commitNanos;

	private final Queue<Batch> queue = new ConcurrentLinkedQueue<>();

	private final Semaphore signal = new Semaphore(0);

	/**
	 * Batches of the current call. The last batch may have records left for the next
	 * call.
	 */
	private final Deque<Batch> batches = new ArrayDeque<>();

	private final List<DafkaRecord> records = new ArrayList<>();

	private final Thread thread;

	private final CountDownLatch ended = new CountDownLatch(1);

	private final OffsetStore offsets;

	private final Ticker ticker;

	private final Map<TopicPartition, Long> uncommitted = new HashMap<>();

	private volatile boolean stopping;

	private volatile @Nullable Throwable failure;

	/** Called by the thread before it ends. */
	private volatile Runnable onEnd = () -> {
	};

	private long committedAt;

	/**
	 * Creates a delivery that is not started.
	 * @param threadName name of the thread
	 * @param handler processes the records
	 * @param waiting counts the records in the queue
	 * @param offsets stores the offsets
	 * @param commitInterval time between saves of the offsets
	 * @param ticker clock for {@code commitInterval}
	 */
	Delivery(String threadName, RecordHandler handler, WaitingRecords waiting, OffsetStore offsets,
			Duration commitInterval, Ticker ticker) {
		this.handler = handler;
		this.maxRecords = handler.maxRecords();
		this.waiting = waiting;
		this.commitNanos = commitInterval.toNanos();
		this.offsets = offsets;
		this.ticker = ticker;
		this.committedAt = ticker.nanos();
		this.thread = new Thread(this::run, threadName);
		this.thread.setDaemon(true);
	}

	/**
	 * Starts the thread.
	 * @param onEnd run by the thread before it ends
	 */
	void start(Runnable onEnd) {
		this.onEnd = onEnd;
		this.thread.start();
	}

	/** Returns the counters for records in the queue. */
	WaitingRecords waiting() {
		return this.waiting;
	}

	/** Adds a batch, whose records are already counted as waiting. */
	void put(Batch batch) {
		this.queue.add(batch);
		this.signal.release();
	}

	/**
	 * Stops after the current call, without waiting. Discards waiting records.
	 */
	void stop() {
		this.stopping = true;
		this.signal.release();
	}

	/**
	 * Returns whether the thread is delivering: it has neither been stopped nor failed.
	 */
	boolean isRunning() {
		return !this.stopping;
	}

	/** Returns the failure that ended the thread, or {@code null} if there was none. */
	@Nullable Throwable failure() {
		return this.failure;
	}

	boolean hasEnded() {
		return this.ended.getCount() == 0;
	}

	/**
	 * Waits until the thread has ended.
	 * @param timeout maximum time to wait
	 * @return whether it has ended; the handler always receives {@code false},
	 * immediately
	 * @throws InterruptedException if the waiting thread is interrupted
	 */
	boolean awaitEnd(Duration timeout) throws InterruptedException {
		long nanos = (Thread.currentThread() != this.thread) ? timeout.toNanos() : 0;
		return this.ended.await(nanos, TimeUnit.NANOSECONDS);
	}

	private void run() {
		try {
			try {
				deliverUntilStopped();
			}
			finally {
				this.stopping = true;
				commit();
			}
		}
		catch (Throwable ex) {
			this.failure = ex;
			logger.error("The consumer stops because its listener failed with an error. Fix the listener and start "
					+ "another consumer", ex);
		}
		finally {
			try {
				this.onEnd.run();
			}
			finally {
				this.ended.countDown();
			}
		}
	}

	private void deliverUntilStopped() {
		while (!this.stopping) {
			collectRecords();
			if (this.batches.isEmpty()) {
				awaitRecords();
			}
			else {
				settle(call());
			}
			commitIfDue();
		}
	}

	private void awaitRecords() {
		try {
			if (this.signal.tryAcquire(this.commitNanos, TimeUnit.NANOSECONDS)) {
				this.signal.drainPermits();
			}
		}
		catch (InterruptedException ex) {
			// Only a listener can have interrupted this thread.
		}
	}

	/**
	 * Collects the records of the next call. Stops collecting before a loss, which is
	 * reported after the call.
	 */
	private void collectRecords() {
		this.records.clear();
		long bytes = 0;
		Batch batch = this.batches.peekFirst();
		while (this.records.size() < this.maxRecords && bytes < MAX_CALL_BYTES) {
			if (batch == null) {
				batch = this.queue.poll();
				if (batch == null) {
					return;
				}
				this.batches.addLast(batch);
			}
			DafkaRecord record = batch.isCurrent() ? batch.take() : null;
			if (record != null) {
				this.records.add(record);
				bytes += record.content().size();
			}
			else if (batch.lost != null) {
				return;
			}
			else {
				batch = null;
			}
		}
	}

	/** Calls the handler and returns the number of processed records. */
	private int call() {
		int count = this.records.size();
		if (count == 0) {
			return 0;
		}
		this.delivered.add(count);
		try {
			int processed = this.handler.handle(this.records);
			if (processed < count) {
				this.stopping = true;
			}
			return processed;
		}
		finally {
			// An interrupt flag left set by the listener would make saving fail.
			Thread.interrupted();
		}
	}

	/** Advances a call's partitions and removes finished batches. */
	private void settle(int processed) {
		int settled = 0;
		for (Batch batch = this.batches.peekFirst(); batch != null; batch = this.batches.peekFirst()) {
			int count = Math.min(processed - settled, batch.inCall());
			if (count > 0) {
				this.records.subList(settled, settled + count).forEach(this.waiting::remove);
				settled += count;
				batch.processed += count;
				commit(batch, batch.records.get(batch.processed - 1).offset() + 1);
			}
			if (batch.inCall() > 0 || (batch.isCurrent() && batch.hasMore())) {
				return;
			}
			finish(batch);
			this.batches.removeFirst();
		}
	}

	/**
	 * Reports any loss after a batch's records. If a seek has invalidated the batch,
	 * discards its records instead.
	 */
	private void finish(Batch batch) {
		for (DafkaRecord record = batch.take(); record != null; record = batch.take()) {
			this.waiting.remove(record);
		}
		Batch.Lost lost = batch.lost;
		if (lost != null && batch.isCurrent()) {
			this.handler.lost(batch.progress.partition(), lost.first(), lost.count());
			commit(batch, lost.first() + lost.count());
		}
		this.waiting.flush();
	}

	/** Advances a partition to an offset, unless a seek has invalidated the batch. */
	private void commit(Batch batch, long next) {
		if (batch.progress.advance(batch.epoch, next)) {
			this.uncommitted.put(batch.progress.partition(), next);
		}
	}

	/** Saves the offsets if they are due. */
	private void commitIfDue() {
		if (this.ticker.nanos() - this.committedAt >= this.commitNanos) {
			commit();
		}
	}

	/** Saves the offsets. If saving fails, they are saved next time. */
	private void commit() {
		this.committedAt = this.ticker.nanos();
		if (this.uncommitted.isEmpty()) {
			return;
		}
		try {
			this.offsets.save(Map.copyOf(this.uncommitted));
			this.uncommitted.clear();
		}
		catch (RuntimeException ex) {
			logger.error("Failed to save offsets; records may be delivered again after a restart", ex);
		}
	}

}
