package io.statestore.dafka.spring.listener;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.ConsumerMetrics;
import io.statestore.dafka.consumer.OffsetStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A consumer and the thread of its listener, from a start to a stop. */
final class ListenerRun {

	private static final Logger logger = LoggerFactory.getLogger(ListenerRun.class);

	private final ListenerWorker worker;

	private final Consumer consumer;

	private final Thread thread;

	private final CountDownLatch ended = new CountDownLatch(1);

	private volatile @Nullable Throwable failure;

	ListenerRun(String id, Consumer.Builder consumer, OffsetStore offsets, ListenerWorker worker) {
		this.worker = worker;
		this.consumer = consumer.offsets(new LoadOnly(offsets)).start(worker);
		this.thread = new Thread(this::run, "dafka-listener-" + id);
		this.thread.setDaemon(true);
		this.thread.start();
	}

	private void run() {
		try {
			this.worker.run();
		}
		catch (Throwable ex) {
			this.failure = ex;
			logger.error("{} ends because of a failure; stop and start it", this.thread.getName(), ex);
		}
		finally {
			this.worker.close();
			this.consumer.close();
			this.ended.countDown();
		}
	}

	boolean isRunning() {
		return !this.worker.isClosed();
	}

	/** What ended it, {@code null} if nothing but a stop did. */
	@Nullable Throwable failure() {
		Throwable failure = (this.failure != null) ? this.failure : this.worker.failure();
		return (failure != null) ? failure : this.consumer.failure();
	}

	ConsumerMetrics metrics() {
		return this.consumer.metrics();
	}

	/** Records that the consumer knows and the listener is not done with. */
	long lag() {
		return isRunning() ? this.consumer.metrics().lag() + this.worker.pending() : 0;
	}

	void stop() {
		this.worker.close();
	}

	/**
	 * Waits for the call that is running. If it lasts longer the consumer is closed all
	 * the same. Does not wait on the thread of the listener itself.
	 * @return whether it has ended, or will when this call returns
	 */
	boolean awaitEnd(Duration timeout) {
		if (Thread.currentThread() == this.thread) {
			return true;
		}
		try {
			if (this.ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
				return true;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.consumer.close();
		return false;
	}

	boolean hasEnded() {
		return this.ended.getCount() == 0;
	}

	/**
	 * The consumer counts what the buffer has taken as consumed; only the listener knows
	 * what is done.
	 */
	private record LoadOnly(OffsetStore offsets) implements OffsetStore {

		@Override
		public Map<TopicPartition, Long> load() {
			return this.offsets.load();
		}

		@Override
		public void save(Map<TopicPartition, Long> next) {
		}

	}

}
