package io.statestore.broker.standalone;

import java.util.Objects;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.statestore.broker.server.ClientLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MessageFormatter;

/**
 * Limits the log of Artemis. Clients can cause its warnings and errors as often as they
 * like, with text that they choose. Logs each kind at most once in
 * {@link ClientLog#INTERVAL}, in one line, with the number of entries left out since.
 */
public final class ArtemisLogFilter extends TurboFilter {

	/** Name of the logger that gets the remaining entries. */
	static final String LOGGER = "io.statestore.broker.artemis";

	private static final String ARTEMIS = "org.apache.activemq.artemis";

	/** Start of the formats that are constant. */
	private static final String CODE = "AMQ";

	/** Reports each message that has expired, which is no fault. */
	private static final String EXPIRED = "AMQ222146";

	private @Nullable ClientLog log;

	@Override
	public void start() {
		if (getContext() instanceof LoggerContext context) {
			this.log = new ClientLog(context.getLogger(LOGGER));
			super.start();
		}
	}

	@Override
	public FilterReply decide(@Nullable Marker marker, Logger logger, Level level, @Nullable String format,
			Object @Nullable [] parameters, @Nullable Throwable failure) {
		if (this.log == null || format == null || !level.isGreaterOrEqual(Level.WARN)
				|| !level.isGreaterOrEqual(logger.getEffectiveLevel()) || !logger.getName().startsWith(ARTEMIS)) {
			return FilterReply.NEUTRAL;
		}
		if (!format.startsWith(EXPIRED)) {
			FormattingTuple entry = (failure != null) ? MessageFormatter.arrayFormat(format, parameters, failure)
					: MessageFormatter.arrayFormat(format, parameters);
			this.log.forward((level == Level.ERROR) ? org.slf4j.event.Level.ERROR : org.slf4j.event.Level.WARN,
					format.startsWith(CODE) ? format : logger.getName(), text(entry));
		}
		return FilterReply.DENY;
	}

	private static String text(FormattingTuple entry) {
		Throwable failure = entry.getThrowable();
		String message = Objects.requireNonNullElse(entry.getMessage(), "");
		if (failure == null) {
			return message;
		}
		StackTraceElement[] trace = failure.getStackTrace();
		return message + ": " + failure + ((trace.length > 0) ? " at " + trace[0] : "");
	}

}
