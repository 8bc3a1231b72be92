package io.statestore.dafka.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.RecordHandler;
import io.statestore.dafka.spring.DafkaErrorHandler.Action;
import io.statestore.dafka.spring.DafkaErrorHandler.Failure;
import io.statestore.dafka.spring.MethodCall.Converted;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handler that calls a listener method, used from one start of the listener to its next
 * stop. The error handler decides whether failed records are skipped, retried, or stop
 * the listener.
 */
final class RecordProcessor implements RecordHandler {

	private static final Logger logger = LoggerFactory.getLogger(RecordProcessor.class);

	/** Number of records processed, including skipped records. */
	final LongAdder records = new LongAdder();

	/** Content size of these records, in bytes. */
	final LongAdder bytes = new LongAdder();

	final LongAdder failures = new LongAdder();

	private final String id;

	private final MethodCall call;

	private final DafkaErrorHandler errorHandler;

	private final int maxRecords;

	private final CountDownLatch stopped = new CountDownLatch(1);

	/** Thread that calls the method; {@code null} before the first call. */
	private volatile @Nullable Thread thread;

	private volatile @Nullable Throwable failure;

	RecordProcessor(String id, MethodCall call, DafkaErrorHandler errorHandler, int maxBatch) {
		this.id = id;
		this.call = call;
		this.errorHandler = errorHandler;
		this.maxRecords = call.isBatch() ? maxBatch : 1;
	}

	/**
	 * Returns the exception for which the error handler stopped the listener, or the
	 * error that the listener threw; {@code null} if there is none.
	 */
	@Nullable Throwable failure() {
		return this.failure;
	}

	boolean isCalledBySelf() {
		return Thread.currentThread() == this.thread;
	}

	/** Ends retries and their pauses. */
	void stop() {
		this.stopped.countDown();
	}

	@Override
	public int maxRecords() {
		return this.maxRecords;
	}

	@Override
	public void lost(TopicPartition partition, long first, long count) {
		logger.warn("Lost {} records of {}, from offset {} on, before Dafka listener '{}' received them", count,
				partition, first, this.id);
	}

	@Override
	public int handle(List<DafkaRecord> records) {
		this.thread = Thread.currentThread();
		return this.call.isBatch() ? handleBatch(records) : attempt(records, () -> convert(records));
	}

	/**
	 * Calls the method once with all records, except those that cannot be converted.
	 */
	private int handleBatch(List<DafkaRecord> records) {
		List<Converted> converted = new ArrayList<>();
		int processed = 0;
		for (int i = 0; i < records.size(); i++) {
			try {
				converted.add(this.call.convert(records.get(i)));
			}
			catch (Throwable ex) {
				// An attempt with only this record throws the exception again.
				processed += attemptConverted(records, processed, converted);
				if (processed == i) {
					List<DafkaRecord> one = records.subList(i, i + 1);
					processed += attempt(one, () -> convert(one));
				}
				if (processed <= i) {
					return processed;
				}
				converted = new ArrayList<>();
			}
		}
		return processed + attemptConverted(records, processed, converted);
	}

	private int attemptConverted(List<DafkaRecord> records, int first, List<Converted> converted) {
		return converted.isEmpty() ? 0 : attempt(records.subList(first, first + converted.size()), () -> converted);
	}

	private List<Converted> convert(List<DafkaRecord> records) {
		return records.stream().map(this.call::convert).toList();
	}

	/**
	 * Calls the method until it succeeds or the error handler skips the records.
	 * @return number of processed records: all, or 0 if the listener stops before them
	 */
	private int attempt(List<DafkaRecord> records, Callable<List<Converted>> converted) {
		for (int attempt = 1; this.stopped.getCount() > 0; attempt++) {
			Action action = attempt(records, converted, attempt);
			if (action == Action.SKIP) {
				records.forEach((record) -> this.bytes.add(record.content().size()));
				this.records.add(records.size());
				return records.size();
			}
			if (action == Action.STOP) {
				return 0;
			}
			pause(action.pause());
		}
		return 0;
	}

	/**
	 * Calls the method once. Stops the listener before the records if the bean no longer
	 * exists.
	 */
	private Action attempt(List<DafkaRecord> records, Callable<List<Converted>> converted, int attempt) {
		try {
			return this.call.invoke(converted.call()) ? Action.SKIP : Action.STOP;
		}
		catch (Exception ex) {
			this.failures.increment();
			return decide(new Failure(this.id, records, ex, attempt));
		}
		catch (Throwable ex) {
			this.failures.increment();
			return stopBecauseOf(ex);
		}
		finally {
			// If the listener leaves the interrupt flag set, it would affect the next
			// call.
			Thread.interrupted();
		}
	}

	private Action decide(Failure failure) {
		Action action;
		try {
			action = this.errorHandler.handle(failure);
		}
		catch (Exception ex) {
			suppress(failure.cause(), ex);
			logger.error("The error handler of Dafka listener '{}' failed; skipping {}", this.id, failure.place(), ex);
			return Action.SKIP;
		}
		catch (Throwable ex) {
			suppress(failure.cause(), ex);
			return stopBecauseOf(ex);
		}
		if (action == null) {
			return stopBecauseOf(new IllegalStateException("The error handler returned null", failure.cause()));
		}
		if (action == Action.STOP) {
			this.failure = failure.cause();
		}
		return action;
	}

	/**
	 * Adds the cause as a suppressed exception unless the error handler rethrew it.
	 */
	private static void suppress(Throwable cause, Throwable thrown) {
		if (thrown != cause) {
			thrown.addSuppressed(cause);
		}
	}

	private Action stopBecauseOf(Throwable failure) {
		this.failure = failure;
		logger.error("Dafka listener '{}' stops because of an error. Fix it and start the listener again", this.id,
				failure);
		return Action.STOP;
	}

	/** Waits until the pause is over or the listener is stopped. */
	private void pause(Duration pause) {
		try {
			this.stopped.await(pause.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			// Only a listener can have interrupted this thread.
		}
	}

}
