package io.statestore.test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Captures events of a logger and its descendants while open. Requires Logback. */
public final class CapturedLog implements AutoCloseable {

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	private final Logger logger;

	private final @Nullable Level levelBefore;

	/**
	 * Captures the events of a class.
	 * @param type class that the logger is named after
	 * @param level lowest level to capture; the logger has this level while open
	 */
	public CapturedLog(Class<?> type, Level level) {
		this(type.getName(), level);
	}

	/**
	 * Captures the events of a logger.
	 * @param name name of the logger
	 * @param level lowest level to capture; the logger has this level while open
	 */
	public CapturedLog(String name, Level level) {
		this.logger = (Logger) LoggerFactory.getLogger(name);
		this.levelBefore = this.logger.getLevel();
		this.logger.setLevel(level);
		this.appender.list = new CopyOnWriteArrayList<>();
		this.appender.start();
		this.logger.addAppender(this.appender);
	}

	/**
	 * Returns the messages of all events.
	 * @return the formatted messages so far
	 */
	public List<String> messages() {
		return this.appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	/**
	 * Returns the messages of one level.
	 * @param level exact level
	 * @return the formatted messages so far
	 */
	public List<String> messages(Level level) {
		return this.appender.list.stream()
			.filter((event) -> event.getLevel() == level)
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	/**
	 * Returns whether any message contains a string.
	 * @param text string to search for
	 * @return whether any message so far contains it
	 */
	public boolean contains(String text) {
		return messages().stream().anyMatch((message) -> message.contains(text));
	}

	/** Removes the appender and restores the logger's level. */
	@Override
	public void close() {
		this.logger.detachAppender(this.appender);
		this.logger.setLevel(this.levelBefore);
	}

}
