package io.statestore.dafka.spring;

import java.time.Duration;
import java.util.List;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.internal.Options;
import org.slf4j.LoggerFactory;

/**
 * Strategy for records that a listener failed to process, because the listener threw an
 * exception or a value could not be converted. Called on the listener's thread. Not
 * called for an {@link Error}, which always stops the listener before the record.
 */
@FunctionalInterface
public interface DafkaErrorHandler {

	/**
	 * Decides how to continue after a failure. If this method throws an exception, the
	 * exception is logged and the records are skipped.
	 * @param failure the failed records and the exception
	 * @return what to do next
	 */
	Action handle(Failure failure);

	/**
	 * Returns the default handler, which logs the failure at ERROR and continues after
	 * these records. The records are not delivered again. The log message contains
	 * listener, position, and exception, but never the content.
	 * @return a stateless handler
	 */
	static DafkaErrorHandler skip() {
		return (failure) -> {
			LoggerFactory.getLogger(DafkaErrorHandler.class)
				.error("Dafka listener '{}' failed to process {}; skipping", failure.listenerId(), failure.place(),
						failure.cause());
			return Action.SKIP;
		};
	}

	/**
	 * Returns a handler that logs the failure and stops the listener before these
	 * records. When the listener is restarted, the records are delivered again, before
	 * later records of their partition.
	 * @return a stateless handler
	 */
	static DafkaErrorHandler stop() {
		return (failure) -> {
			LoggerFactory.getLogger(DafkaErrorHandler.class)
				.error("Dafka listener '{}' failed to process {}; stopping before it", failure.listenerId(),
						failure.place(), failure.cause());
			return Action.STOP;
		};
	}

	/**
	 * Returns a handler that calls the listener again with the same records. Meanwhile,
	 * all other records of the listener wait.
	 * @param retries maximum number of retries, at least 1
	 * @param pause time to wait before each retry
	 * @param otherwise handler to call when the last retry has failed
	 * @return a retrying handler
	 */
	static DafkaErrorHandler retry(int retries, Duration pause, DafkaErrorHandler otherwise) {
		Options.requireAtLeast("retries", retries, 1);
		Action again = Action.retryAfter(pause);
		return (failure) -> (failure.attempt() <= retries) ? again : otherwise.handle(failure);
	}

	/**
	 * A listener's failure to process records.
	 *
	 * @param listenerId ID of the listener
	 * @param records the record, or all records of the batch; never empty
	 * @param cause exception thrown by the listener or the conversion
	 * @param attempt how many times these records have failed, from 1
	 */
	record Failure(String listenerId, List<DafkaRecord> records, Throwable cause, int attempt) {

		public Failure {
			records = List.copyOf(records);
		}

		/**
		 * Describes the records' position, for log messages.
		 * @return a description without record content
		 */
		public String place() {
			DafkaRecord first = this.records.get(0);
			String place = first.topic() + '/' + first.partition() + '/' + first.offset();
			int more = this.records.size() - 1;
			return (more == 0) ? "the record at " + place : "the record at " + place + " and " + more + " more";
		}

	}

	/** What to do after a failure. */
	final class Action {

		/** Continues after these records. */
		public static final Action SKIP = new Action(Duration.ZERO);

		/** Stops the listener before these records. */
		public static final Action STOP = new Action(Duration.ZERO);

		private final Duration pause;

		private Action(Duration pause) {
			this.pause = pause;
		}

		/**
		 * Returns an action that calls the listener again with the same records.
		 * @param pause time to wait before the call
		 * @return an action for this retry
		 */
		public static Action retryAfter(Duration pause) {
			Options.requireDuration("pause", pause, Duration.ZERO);
			return new Action(pause);
		}

		Duration pause() {
			return this.pause;
		}

	}

}
