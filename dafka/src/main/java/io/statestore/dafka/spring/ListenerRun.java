package io.statestore.dafka.spring;

import java.time.Duration;

import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.ConsumerMetrics;
import org.jspecify.annotations.Nullable;

/**
 * Run of a listener, from a start to a stop. Thread-safe.
 *
 * @param processor calls the listener
 * @param consumer passes records to it, and does not wait when it is closed
 */
record ListenerRun(RecordProcessor processor, Consumer consumer) {

	/** Returns the failure that ended the run, or {@code null} if there was none. */
	@Nullable Throwable failure() {
		Throwable failure = this.processor.failure();
		return (failure != null) ? failure : this.consumer.failure();
	}

	/** Returns the sums of earlier counters and those of this run. */
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
			ended = this.consumer.hasEnded();
		}
		if (!ended && !this.processor.isCalledBySelf()) {
			this.consumer.close();
		}
		return ended;
	}

}
