package io.statestore.dafka.spring.listener;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.ConsumerMetrics;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.consumer.OffsetStore;
import org.jspecify.annotations.Nullable;

/**
 * One listener of some topics, which can be started and stopped any number of times by
 * its {@link DafkaListenerRegistry}. Safe for use by several threads.
 */
public final class DafkaListenerEndpoint {

	private final ReentrantLock lock = new ReentrantLock();

	private final String id;

	private final List<String> topics;

	private final Options options;

	private final MethodCall call;

	private final ListenerCounters counters = new ListenerCounters();

	private @Nullable OffsetStore offsets;

	private @Nullable ListenerRun run;

	/** Whether the endpoint runs while its registry is running. */
	private volatile boolean wanted;

	DafkaListenerEndpoint(String id, List<String> topics, Options options, MethodCall call) {
		this.id = id;
		this.topics = List.copyOf(topics);
		this.options = options;
		this.call = call;
		this.wanted = options.autoStartup();
	}

	/**
	 * Returns the id.
	 * @return the id
	 */
	public String id() {
		return this.id;
	}

	/**
	 * Returns the topics.
	 * @return the topics
	 */
	public List<String> topics() {
		return this.topics;
	}

	/**
	 * Returns whether the listener is running.
	 * @return whether it was started, and neither stopped nor ended by its error handler
	 */
	public boolean isRunning() {
		ListenerRun run = run();
		return run != null && run.isRunning();
	}

	/**
	 * Returns the failure that ended the listener: one for which its error handler
	 * stopped it, an error that it threw, or a failure of its consumer.
	 * @return the failure, {@code null} if there was none since the latest start
	 */
	public @Nullable Throwable failure() {
		ListenerRun run = run();
		return (run != null) ? run.failure() : null;
	}

	/**
	 * Returns the counters of the listener.
	 * @return a snapshot
	 */
	public DafkaListenerMetrics metrics() {
		ListenerRun run = run();
		ListenerCounters ended = this.counters;
		ConsumerMetrics now = (run != null) ? run.metrics() : null;
		return new DafkaListenerMetrics(ended.records.sum(), ended.bytes.sum(), ended.failures.sum(),
				(run != null && run.isRunning() && now != null) ? now.lag() : 0,
				ended.fetches.sum() + ((now != null) ? now.fetches() : 0),
				ended.overflows.sum() + ((now != null) ? now.overflows() : 0),
				ended.lost.sum() + ((now != null) ? now.lost() : 0),
				ended.refused.sum() + ((now != null) ? now.refused() : 0),
				ended.refusedPeers.sum() + ((now != null) ? now.node().refused() : 0),
				(run != null && run.isRunning() && now != null) ? now.node().peers() : 0);
	}

	boolean isWanted() {
		return this.wanted;
	}

	void want(boolean wanted) {
		this.wanted = wanted;
	}

	/**
	 * Start, unless it is running.
	 * @throws IllegalStateException if a call from before the last stop is still running
	 */
	void start(DafkaConsumerFactory factory, DafkaListenerOptions common) {
		ListenerRun before = run();
		if (before != null && !before.isRunning()) {
			before.awaitEnd(common.stopTimeout());
		}
		this.lock.lock();
		try {
			if (this.run != null) {
				if (this.run.isRunning()) {
					return;
				}
				if (!this.run.hasEnded()) {
					throw new IllegalStateException("Dafka listener '" + this.id
							+ "' cannot start: a call from before it was stopped is still running. Make " + this.call
							+ " return in time, and start it from another thread");
				}
				keep(this.run.metrics());
				this.run = null;
			}
			if (this.offsets == null) {
				this.offsets = factory.offsets(this.id);
			}
			// The registry waits, for all listeners at once.
			Consumer.Builder consumer = factory.consumer(this.id)
				.topics(this.topics.toArray(String[]::new))
				.offsets(this.offsets)
				.commitInterval(common.commitInterval())
				.closeTimeout(Duration.ZERO);
			if (this.options.offsetReset() != null) {
				consumer.offsetReset(this.options.offsetReset());
			}
			this.run = new ListenerRun(this.id, consumer, new RecordProcessor(this.id, this.call,
					this.options.errorHandler(), common.maxBatch(), this.counters));
		}
		finally {
			this.lock.unlock();
		}
	}

	private void keep(ConsumerMetrics ended) {
		this.counters.fetches.add(ended.fetches());
		this.counters.overflows.add(ended.overflows());
		this.counters.refused.add(ended.refused());
		this.counters.refusedPeers.add(ended.node().refused());
		this.counters.lost.add(ended.lost());
	}

	/** Have it stop after the call that is running. */
	void stop() {
		ListenerRun run = run();
		if (run != null) {
			run.stop();
		}
	}

	/** Waits for running calls, and returns whether they have ended. */
	boolean awaitEnd(Duration timeout) {
		ListenerRun run = run();
		return run == null || run.awaitEnd(timeout) || run.isCalledBySelf();
	}

	private @Nullable ListenerRun run() {
		this.lock.lock();
		try {
			return this.run;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public String toString() {
		return "DafkaListenerEndpoint[" + this.id + ", topics=" + this.topics + ", calls " + this.call + "]";
	}

	/**
	 * Options of an endpoint.
	 *
	 * @param offsetReset start in partitions without an offset, {@code null} for the
	 * setting of the factory
	 * @param errorHandler handles failures
	 * @param autoStartup whether to start with the application
	 */
	record Options(@Nullable OffsetReset offsetReset, DafkaErrorHandler errorHandler, boolean autoStartup) {
	}

}
