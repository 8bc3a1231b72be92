package io.statestore.dafka.spring;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.ConsumerMetrics;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.listener.Completion;
import io.statestore.listener.ListenerEndpointSupport;
import org.jspecify.annotations.Nullable;

/**
 * A {@link DafkaListener} method's listener. Its {@link DafkaListenerRegistry} can start
 * and stop it any number of times. Thread-safe.
 */
public final class DafkaListenerEndpoint extends ListenerEndpointSupport {

	private final List<String> topics;

	private final Options options;

	private final MethodCall call;

	/** Store for the offsets; {@code null} before the first start. */
	private @Nullable OffsetStore offsets;

	/** Counters of all runs before the latest run. */
	private DafkaListenerMetrics earlier = new DafkaListenerMetrics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

	/** Current or latest run; {@code null} before the first start. */
	private volatile @Nullable Run run;

	DafkaListenerEndpoint(String id, List<String> topics, Options options, MethodCall call) {
		super(id, options.autoStartup());
		this.topics = List.copyOf(topics);
		this.options = options;
		this.call = call;
	}

	/**
	 * Returns the topics that this listener reads.
	 * @return topic names with placeholders resolved
	 */
	public List<String> topics() {
		return this.topics;
	}

	/**
	 * Returns whether the listener is running.
	 * @return {@code true} if it was started and has not been stopped since, neither by a
	 * caller nor by its error handler
	 */
	public boolean isRunning() {
		Run run = this.run;
		return run != null && run.consumer().isRunning();
	}

	/**
	 * Returns the failure that ended the listener: an exception for which its error
	 * handler stopped it, an error that it threw, or a failure of its consumer.
	 * @return the failure since the latest start; {@code null} if there is none
	 */
	public @Nullable Throwable failure() {
		Run run = this.run;
		return (run != null) ? run.failure() : null;
	}

	/**
	 * Returns the counters of the listener.
	 * @return a snapshot that includes earlier runs
	 */
	public synchronized DafkaListenerMetrics metrics() {
		return (this.run != null) ? this.run.addTo(this.earlier) : this.earlier;
	}

	@Override
	protected boolean isCalledBySelf() {
		Run run = this.run;
		return run != null && run.processor().isCalledBySelf();
	}

	/**
	 * Starts the listener if it should run but is not running. Waits for any call from
	 * before the latest stop. Such a call may belong to an earlier listener with the same
	 * ID, which uses the same offset store.
	 * @param factory creates the consumer
	 * @param common options of all listeners
	 * @param runs latest run for each ID
	 * @param toRun whether the listener should run; read atomically with the start
	 * @throws IllegalStateException if an earlier call is still running after the stop
	 * timeout
	 */
	void start(DafkaConsumerFactory factory, DafkaListenerOptions common, ConcurrentMap<String, Run> runs,
			BooleanSupplier toRun) {
		// Unlike get, this waits for a start in progress.
		Run latest = runs.computeIfPresent(id(), (id, run) -> run);
		if (latest != null && (latest != this.run || !isRunning())) {
			latest.awaitEnd(common.stopTimeout());
		}
		runs.compute(id(), (id, before) -> startRun(factory, common, before, toRun));
	}

	private synchronized @Nullable Run startRun(DafkaConsumerFactory factory, DafkaListenerOptions common,
			@Nullable Run before, BooleanSupplier toRun) {
		if (!toRun.getAsBoolean() || isRunning()) {
			return before;
		}
		if (before != null && !before.consumer().hasEnded()) {
			throw new IllegalStateException("Dafka listener '" + id()
					+ "' cannot start: a call from before it was stopped is still running. Make " + before.call()
					+ " return in time, and start it from another thread");
		}
		if (this.offsets == null) {
			this.offsets = factory.offsets(id());
		}
		this.earlier = metrics();
		this.run = null;
		RecordProcessor processor = new RecordProcessor(id(), this.call, this.options.errorHandler(),
				common.maxBatch());
		Run run = new Run(this.call, processor,
				consumer(factory, common, this.offsets).start("dafka-listener-" + id(), processor));
		this.run = run;
		return run;
	}

	private Consumer.Builder consumer(DafkaConsumerFactory factory, DafkaListenerOptions common, OffsetStore offsets) {
		// Closing does not wait, because the registry waits for all listeners together.
		Consumer.Builder consumer = factory.consumer(id())
			.topics(this.topics.toArray(String[]::new))
			.offsets(offsets)
			.commitInterval(common.commitInterval())
			.closeTimeout(Duration.ZERO);
		return (this.options.offsetReset() != null) ? consumer.offsetReset(this.options.offsetReset()) : consumer;
	}

	/**
	 * Stops the listener after the current call, unless it should run. Never blocks.
	 * @param toRun whether the listener should run; read atomically with the stop
	 * @return a completion that waits until the current call has ended
	 */
	synchronized Completion stop(BooleanSupplier toRun) {
		Run run = this.run;
		if (run == null || toRun.getAsBoolean()) {
			return Completion.DONE;
		}
		run.stop();
		return (remaining) -> {
			if (!run.awaitEnd(remaining.get())) {
				throw new TimeoutException();
			}
		};
	}

	@Override
	public String toString() {
		return "DafkaListenerEndpoint[" + id() + ", topics=" + this.topics + ", calls " + this.call + "]";
	}

	/**
	 * Options of an endpoint.
	 *
	 * @param offsetReset where to start in partitions without a saved offset, or
	 * {@code null} to use the factory's setting
	 * @param errorHandler handles failures
	 * @param autoStartup whether to start with the application
	 */
	record Options(@Nullable OffsetReset offsetReset, DafkaErrorHandler errorHandler, boolean autoStartup) {
	}

	/**
	 * A listener's run, from a start to a stop. Thread-safe.
	 *
	 * @param call listener method
	 * @param processor calls {@code call}
	 * @param consumer passes records to {@code processor}; closing it does not wait
	 */
	record Run(MethodCall call, RecordProcessor processor, Consumer consumer) {

		/** Returns the failure that ended the run; {@code null} if there is none. */
		@Nullable Throwable failure() {
			Throwable failure = this.processor.failure();
			return (failure != null) ? failure : this.consumer.failure();
		}

		/** Returns the earlier counters plus the counters of this run. */
		DafkaListenerMetrics addTo(DafkaListenerMetrics earlier) {
			ConsumerMetrics now = this.consumer.metrics();
			boolean running = this.consumer.isRunning();
			return new DafkaListenerMetrics(earlier.records() + this.processor.records.sum(),
					earlier.bytes() + this.processor.bytes.sum(), earlier.failures() + this.processor.failures.sum(),
					running ? now.lag() : 0, earlier.fetches() + now.fetches(), earlier.dropped() + now.overflows(),
					earlier.lost() + now.lost(), earlier.refused() + now.refused(),
					earlier.refusedPeers() + now.node().refused(), running ? now.node().peers() : 0);
		}

		/** Stops after the current call, without waiting. */
		void stop() {
			this.consumer.stop();
			this.processor.stop();
		}

		/**
		 * Waits until the run has ended. After the timeout, closes the node, so that only
		 * the current call continues. Does not wait if called by the listener.
		 * @param timeout maximum time to wait
		 * @return whether the run has ended
		 */
		boolean awaitEnd(Duration timeout) {
			boolean ended;
			try {
				ended = this.consumer.awaitEnd(timeout);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				ended = this.consumer.hasEnded();
			}
			if (!ended && !this.processor.isCalledBySelf()) {
				this.consumer.close();
			}
			return ended;
		}

	}

}
