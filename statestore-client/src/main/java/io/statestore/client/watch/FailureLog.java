package io.statestore.client.watch;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.statestore.client.Key;
import io.statestore.client.StateStoreRefusedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs failed synchronizations. The first failure with a cause is logged immediately;
 * later failures are counted, and the count is logged once a minute. Thread-safe.
 */
final class FailureLog {

	/** Interval between log entries about the same cause. */
	static final Duration INTERVAL = Duration.ofMinutes(1);

	private static final Logger logger = LoggerFactory.getLogger(FailureLog.class);

	/** Failures that have not been logged yet, by cause. */
	private final Map<String, Failures> pending = new HashMap<>();

	private final WatchTiming.Timer timer;

	FailureLog(WatchTiming.Timer timer) {
		this.timer = timer;
	}

	/**
	 * Logs or counts a failure.
	 * @param command name of the command
	 * @param retryDelay time until the next attempt
	 */
	void failed(String command, Key key, Throwable failure, Duration retryDelay) {
		String cause = causeOf(command, failure);
		synchronized (this) {
			Failures earlier = this.pending.putIfAbsent(cause, Failures.NONE);
			if (earlier != null) {
				this.pending.put(cause,
						new Failures(earlier.count + 1, "key " + key + " (" + failure.getMessage() + ')'));
				return;
			}
		}
		logger.warn(
				"{} failed for the watch of key {} ({}); changes may arrive late. Next attempt in {} ms. More failures "
						+ "of this kind are counted and logged once a minute",
				command, key, failure.getMessage(), retryDelay.toMillis());
		scheduleSummary(command, cause);
	}

	private static String causeOf(String command, Throwable failure) {
		String cause = command + ' ' + failure.getClass().getName();
		return (failure instanceof StateStoreRefusedException refusal) ? cause + ' ' + refusal.reason() : cause;
	}

	private void scheduleSummary(String command, String cause) {
		this.timer.schedule(INTERVAL, () -> logSummary(command, cause));
	}

	private void logSummary(String command, String cause) {
		Failures further;
		synchronized (this) {
			further = this.pending.remove(cause);
			if (further == null || further.count == 0) {
				return;
			}
			this.pending.put(cause, Failures.NONE);
		}
		logger.warn("{} failed {} more times for watches within a minute, most recently for {}", command, further.count,
				further.latest);
		scheduleSummary(command, cause);
	}

	/** Failures with the same cause within an interval. */
	private record Failures(int count, String latest) {

		static final Failures NONE = new Failures(0, "");

	}

}
