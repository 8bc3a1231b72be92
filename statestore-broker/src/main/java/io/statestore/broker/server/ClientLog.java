package io.statestore.broker.server;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.statestore.broker.security.LogText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A log for events that clients can cause arbitrarily often. Each kind of event is logged
 * at most once per {@link #INTERVAL}, together with the number of omitted events. Control
 * characters in text from clients are escaped. Thread-safe.
 */
public final class ClientLog {

	/** Minimum time between two log entries of the same kind. */
	public static final Duration INTERVAL = Duration.ofSeconds(10);

	/** Kinds of events, by their format. */
	private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

	private final Logger logger;

	private final LongSupplier nanoClock;

	/**
	 * Creates a log.
	 * @param logger receives the entries that are not omitted
	 */
	public ClientLog(Logger logger) {
		this(logger, System::nanoTime);
	}

	ClientLog(Logger logger, LongSupplier nanoClock) {
		this.logger = logger;
		this.nanoClock = nanoClock;
	}

	/**
	 * Logs a warning.
	 * @param format the format, a constant that also identifies the kind of event
	 * @param arguments the arguments of the format, which are escaped
	 */
	public void warn(String format, @Nullable Object... arguments) {
		log(Level.WARN, null, format, arguments);
	}

	/**
	 * Logs an error with its stack trace.
	 * @param failure the failure, whose messages are escaped
	 * @param format the format, a constant that also identifies the kind of event
	 * @param arguments the arguments of the format, which are escaped
	 */
	public void error(Throwable failure, String format, @Nullable Object... arguments) {
		log(Level.ERROR, failure, format, arguments);
	}

	/**
	 * Logs an event that is not the fault of a client.
	 * @param format the format, a constant that also identifies the kind of event
	 * @param arguments the arguments of the format, which are escaped
	 */
	public void info(String format, @Nullable Object... arguments) {
		log(Level.INFO, null, format, arguments);
	}

	private void log(Level level, @Nullable Throwable failure, String format, @Nullable Object[] arguments) {
		if (!this.logger.isEnabledForLevel(level)) {
			return;
		}
		long now = this.nanoClock.getAsLong();
		long leftOut = this.kinds.computeIfAbsent(format, (added) -> new Kind(now)).enter(now);
		if (leftOut == Kind.LEFT_OUT) {
			return;
		}
		Object[] escaped = Arrays.stream(arguments)
			.map((argument) -> LogText.escape(String.valueOf(argument)))
			.toArray();
		LoggingEventBuilder entry = this.logger.atLevel(level);
		if (failure != null) {
			entry = entry.setCause(new EscapedFailure(failure, EscapedFailure.MAX_CAUSES));
		}
		if (leftOut == 0) {
			entry.log(format, escaped);
		}
		else {
			Object[] counted = Arrays.copyOf(escaped, escaped.length + 1);
			counted[escaped.length] = leftOut;
			entry.log(format + " ({} more like this were not logged)", counted);
		}
	}

	/** A failure whose message may contain text from a client. */
	private static final class EscapedFailure extends Throwable {

		static final int MAX_CAUSES = 8;

		private static final long serialVersionUID = 1L;

		EscapedFailure(Throwable failure, int maxCauses) {
			super(LogText.escape(failure.toString()), (failure.getCause() != null && maxCauses > 0)
					? new EscapedFailure(failure.getCause(), maxCauses - 1) : null, false, true);
			setStackTrace(failure.getStackTrace());
		}

	}

	/** Events with the same format. */
	private static final class Kind {

		/** Result of {@link #enter} for an event that is not logged. */
		static final long LEFT_OUT = -1;

		private long nextAt;

		private long leftOut;

		Kind(long now) {
			this.nextAt = now;
		}

		/** Returns the number of events omitted before this one. */
		synchronized long enter(long now) {
			if (now - this.nextAt < 0) {
				this.leftOut++;
				return LEFT_OUT;
			}
			long count = this.leftOut;
			this.leftOut = 0;
			this.nextAt = now + INTERVAL.toNanos();
			return count;
		}

	}

}
