package io.statestore.dafka.spring;

import java.time.Duration;

import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.ConsumerMetrics;
import org.jspecify.annotations.Nullable;

/** Consumer of a listener, from a start to a stop. Thread-safe. */
final class ListenerRun {

	private final RecordProcessor processor;

	private final Consumer consumer;

	/**
	 * Starts a consumer that calls the listener.
	 * @param id id of the listener
	 * @param consumer options of the consumer, which must not wait when it is closed
	 * @param processor calls the listener
	 */
	ListenerRun(String id, Consumer.Builder consumer, RecordProcessor processor) {
		this.processor = processor;
		this.consumer = consumer.start("dafka-listener-" + id, processor);
	}

	boolean isRunning() {
		return this.consumer.isRunning();
	}

	/** Returns the failure that ended the run, or {@code null} if there was none. */
	@Nullable Throwable failure() {
		Throwable failure = this.processor.failure();
		return (failure != null) ? failure : this.consumer.failure();
	}

	ConsumerMetrics metrics() {
		return this.consumer.metrics();
	}

	/** Stops after the current call, without waiting. */
	void stop() {
		this.consumer.stop();
		this.processor.stop();
	}

	/** Returns whether this code is called by the listener. */
	boolean isCalledBySelf() {
		return this.processor.isCalledBySelf();
	}

	/** Returns whether the run has ended, including its last call. */
	boolean hasEnded() {
		return this.consumer.hasEnded();
	}

	/**
	 * Waits until the run has ended. After the timeout the node is closed, so that only
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
			ended = hasEnded();
		}
		if (!ended && !isCalledBySelf()) {
			this.consumer.close();
		}
		return ended;
	}

}
