package io.statestore.dafka.spring.listener;

import java.time.Duration;
import java.util.List;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Options;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what to do with records that a listener did not take: it threw, or a value
 * could not be converted. Called on the thread of the listener, which waits. Not called
 * for an {@link Error}, which always stops the listener in front of the record.
 */
@FunctionalInterface
public interface DafkaErrorHandler {

	/**
	 * Decides. What it throws is logged, and the records are skipped.
	 */
	Action handle(Failure failure);

	/**
	 * The default: logs listener, place and exception at ERROR, never the content, and
	 * goes on behind these records. They do not come again.
	 */
	static DafkaErrorHandler skip() {
		return (failure) -> {
			Log.logger.error("Dafka listener '{}' did not take {}, which {} skipped", failure.listenerId(),
					failure.place(), (failure.records().size() > 1) ? "are" : "is", failure.cause());
			return Action.SKIP;
		};
	}

	/**
	 * Logs, and stops the listener in front of these records. They come again, first of
	 * their partition, when it is started again.
	 */
	static DafkaErrorHandler stop() {
		return (failure) -> {
			Log.logger.error("Dafka listener '{}' did not take {} and stops", failure.listenerId(), failure.place(),
					failure.cause());
			return Action.STOP;
		};
	}

	/**
	 * Calls the listener again with the same records. All records of the listener wait
	 * meanwhile.
	 * @param retries how often at most, from 1
	 * @param pause before each
	 * @param otherwise decides after the last one
	 */
	static DafkaErrorHandler retry(int retries, Duration pause, DafkaErrorHandler otherwise) {
		Options.requireAtLeast("retries", retries, 1);
		Action again = Action.retryAfter(pause);
		return (failure) -> (failure.attempt() <= retries) ? again : otherwise.handle(failure);
	}

	/**
	 * What a listener did not take.
	 *
	 * @param listenerId which listener
	 * @param records one, or the whole batch; never empty
	 * @param cause what was thrown
	 * @param attempt how often these records have failed, from 1
	 */
	record Failure(String listenerId, List<DafkaRecord> records, Throwable cause, int attempt) {

		public Failure {
			records = List.copyOf(records);
		}

		/** Where the records are, for a log. */
		public String place() {
			DafkaRecord first = this.records.get(0);
			String place = first.topic() + '/' + first.partition() + '/' + first.offset();
			int more = this.records.size() - 1;
			return (more == 0) ? "the record at " + place : "the record at " + place + " and " + more + " more";
		}

	}

	/** What to do next. */
	final class Action {

		/** Go on behind these records. */
		public static final Action SKIP = new Action(Duration.ZERO);

		/** Stop the listener in front of these records. */
		public static final Action STOP = new Action(Duration.ZERO);

		private final Duration pause;

		private Action(Duration pause) {
			this.pause = pause;
		}

		/**
		 * Call the listener with the same records again, after a pause of up to a day.
		 */
		public static Action retryAfter(Duration pause) {
			Options.requireDuration("pause", pause, Duration.ZERO);
			return new Action(pause);
		}

		Duration pause() {
			return this.pause;
		}

	}

	/** An interface has no private field. */
	final class Log {

		private static final Logger logger = LoggerFactory.getLogger(DafkaErrorHandler.class);

		private Log() {
		}

	}

}
