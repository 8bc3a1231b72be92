package io.statestore.dafka.spring.listener;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.spring.listener.DafkaErrorHandler.Action;
import io.statestore.dafka.spring.listener.DafkaErrorHandler.Failure;
import io.statestore.dafka.spring.listener.MethodCall.Converted;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of a listener from one start to its stop: takes records from the consumer,
 * calls the method, and saves the offsets of what it is done with.
 */
final class ListenerWorker implements RecordListener, Runnable {

	private static final Logger logger = LoggerFactory.getLogger(ListenerWorker.class);

	private final String id;

	private final MethodCall call;

	private final DafkaErrorHandler errorHandler;

	private final OffsetStore offsets;

	private final long commitNanos;

	private final RecordBuffer buffer;

	private final ListenerCounters counters;

	private final Map<TopicPartition, Long> uncommitted = new HashMap<>();

	private long committedAt = System.nanoTime();

	/** Records that the thread has taken and is not done with. */
	private volatile int taken;

	private volatile @Nullable Throwable failure;

	ListenerWorker(String id, MethodCall call, DafkaErrorHandler errorHandler, OffsetStore offsets,
			DafkaListenerOptions options, ListenerCounters counters) {
		this.id = id;
		this.call = call;
		this.errorHandler = errorHandler;
		this.offsets = offsets;
		this.commitNanos = options.commitInterval().toNanos();
		this.buffer = new RecordBuffer(options.maxBatch());
		this.counters = counters;
	}

	/**
	 * Returns the failure for which its error handler stopped it, or an error of the
	 * listener; {@code null} if there was none.
	 */
	@Nullable Throwable failure() {
		return this.failure;
	}

	/** Records that it has got and is not done with. */
	int pending() {
		return this.buffer.size() + this.taken;
	}

	boolean isClosed() {
		return this.buffer.isClosed();
	}

	/** Ends after the call that is running. */
	void close() {
		this.buffer.close();
	}

	@Override
	public void onRecord(DafkaRecord record) {
		this.buffer.put(record);
	}

	@Override
	public void onLost(TopicPartition partition, long first, long count) {
		logger.warn("Lost {} records of {}, from offset {} on, before Dafka listener '{}' received them", count,
				partition, first, this.id);
	}

	@Override
	public void run() {
		try {
			deliverUntilClosed();
		}
		finally {
			this.taken = 0;
			commit();
		}
	}

	private void deliverUntilClosed() {
		while (!isClosed()) {
			List<DafkaRecord> records = this.buffer.take(this.commitNanos);
			this.taken = records.size();
			if (this.call.isBatch()) {
				deliverTogether(records);
			}
			else {
				deliverEach(records);
			}
			if (System.nanoTime() - this.committedAt >= this.commitNanos) {
				commit();
			}
		}
	}

	private void deliverEach(List<DafkaRecord> records) {
		for (DafkaRecord record : records) {
			if (!attempt(List.of(record), () -> List.of(this.call.convert(record)))) {
				return;
			}
			if (System.nanoTime() - this.committedAt >= this.commitNanos) {
				commit();
			}
		}
	}

	/** One that cannot be converted does not take the others with it. */
	private void deliverTogether(List<DafkaRecord> records) {
		List<DafkaRecord> batch = new ArrayList<>();
		List<Converted> converted = new ArrayList<>();
		for (DafkaRecord record : records) {
			try {
				converted.add(this.call.convert(record));
				batch.add(record);
			}
			catch (RuntimeException ex) {
				if (!attemptBatch(batch, converted)
						|| !attempt(List.of(record), () -> List.of(this.call.convert(record)))) {
					return;
				}
				batch = new ArrayList<>();
				converted = new ArrayList<>();
			}
		}
		attemptBatch(batch, converted);
	}

	private boolean attemptBatch(List<DafkaRecord> records, List<Converted> converted) {
		return records.isEmpty() || attempt(records, () -> converted);
	}

	/** Whether to go on. */
	private boolean attempt(List<DafkaRecord> records, Callable<List<Converted>> converted) {
		for (int attempt = 1; !isClosed(); attempt++) {
			Action action = attempt(records, converted, attempt);
			if (action == Action.SKIP) {
				done(records);
				return true;
			}
			if (action == Action.STOP) {
				close();
			}
			else {
				this.buffer.awaitClosed(action.pause().toNanos());
			}
		}
		return false;
	}

	private Action attempt(List<DafkaRecord> records, Callable<List<Converted>> converted, int attempt) {
		try {
			this.call.invoke(converted.call());
			return Action.SKIP;
		}
		catch (Error ex) {
			this.counters.failures.increment();
			this.failure = ex;
			logger.error("Dafka listener '{}' stops because of an error. Fix it and start the listener again", this.id,
					ex);
			return Action.STOP;
		}
		catch (Exception ex) {
			this.counters.failures.increment();
			Action action = decide(new Failure(this.id, records, ex, attempt));
			if (action == Action.STOP) {
				this.failure = ex;
			}
			return action;
		}
		finally {
			// What a listener leaves behind must not end our waiting.
			Thread.interrupted();
		}
	}

	private Action decide(Failure failure) {
		try {
			return this.errorHandler.handle(failure);
		}
		catch (RuntimeException ex) {
			ex.addSuppressed(failure.cause());
			logger.error("The error handler of Dafka listener '{}' failed with {}, which is skipped", this.id,
					failure.place(), ex);
			return Action.SKIP;
		}
	}

	private void done(List<DafkaRecord> records) {
		for (DafkaRecord record : records) {
			this.uncommitted.put(new TopicPartition(record.topic(), record.partition()), record.offset() + 1);
			this.counters.bytes.add(record.content().size());
		}
		this.counters.records.add(records.size());
		this.taken = Math.max(0, this.taken - records.size());
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
			logger.error("Offsets of Dafka listener '{}' are not saved, records may come again after a restart",
					this.id, ex);
		}
	}

}
