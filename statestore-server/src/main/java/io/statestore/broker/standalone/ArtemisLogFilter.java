package io.statestore.broker.standalone;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
 * Filter that limits the log of Artemis. Clients can cause its warnings and errors at any
 * rate, with text of their choice. Each kind of entry is logged at most once in
 * {@link ClientLog#INTERVAL}, in one line, with the number of omitted entries. The logger
 * of these entries has the name of this class.
 */
public final class ArtemisLogFilter extends TurboFilter {

	private static final String ARTEMIS = "org.apache.activemq.artemis";

	/** Code at the start of an entry, which identifies its kind. */
	private static final Pattern CODE = Pattern.compile("AMQ\\d{6}");

	private static final int MAX_CAUSES = 10;

	/** Code of the entry for an expired message. Expiry is not an error. */
	private static final String EXPIRED = "AMQ222146";

	/** Code of the entry for a will that is not permitted. The audit log has it. */
	private static final String DENIED_WILL = "AMQ834007";

	private @Nullable ClientLog log;

	@Override
	public void start() {
		if (getContext() instanceof LoggerContext context) {
			this.log = new ClientLog(context.getLogger(ArtemisLogFilter.class));
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
		if (!format.startsWith(EXPIRED) && !format.startsWith(DENIED_WILL)) {
			FormattingTuple entry = MessageFormatter.arrayFormat(format, parameters);
			Throwable cause = (failure != null) ? failure : entry.getThrowable();
			this.log.forward((level == Level.ERROR) ? org.slf4j.event.Level.ERROR : org.slf4j.event.Level.WARN,
					kind(logger, format, cause), text(entry.getMessage(), cause));
		}
		return FilterReply.DENY;
	}

	/**
	 * Returns the kind of an entry. Formats without a code may contain text of clients
	 * and are not part of it, so that the number of kinds is limited.
	 */
	private static String kind(Logger logger, String format, @Nullable Throwable failure) {
		Matcher code = CODE.matcher(format);
		if (code.lookingAt()) {
			return code.group();
		}
		return logger.getName() + ((failure != null) ? failure.getClass().getName() + place(failure) : "");
	}

	private static String text(@Nullable String message, @Nullable Throwable failure) {
		StringBuilder text = new StringBuilder(Objects.requireNonNullElse(message, ""));
		Throwable cause = failure;
		for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
			text.append((i == 0) ? ": " : "; caused by ").append(cause).append(place(cause));
			cause = cause.getCause();
		}
		return text.toString();
	}

	private static String place(Throwable failure) {
		StackTraceElement[] trace = failure.getStackTrace();
		return (trace.length > 0) ? " at " + trace[0] : "";
	}

}
