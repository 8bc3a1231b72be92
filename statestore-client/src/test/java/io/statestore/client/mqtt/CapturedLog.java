package io.statestore.client.mqtt;

import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.slf4j.LoggerFactory;

/** What this package logs while open. */
public final class CapturedLog implements AutoCloseable {

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.statestore.client.mqtt");

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	private final Level levelBefore = this.logger.getLevel();

	public CapturedLog() {
		this.logger.setLevel(Level.DEBUG);
		this.appender.list = new java.util.concurrent.CopyOnWriteArrayList<>();
		this.appender.start();
		this.logger.addAppender(this.appender);
	}

	public List<String> messages() {
		return this.appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	public List<String> messages(Level level) {
		return this.appender.list.stream()
			.filter((event) -> event.getLevel() == level)
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	public boolean contains(String text) {
		return messages().stream().anyMatch((message) -> message.contains(text));
	}

	@Override
	public void close() {
		this.logger.detachAppender(this.appender);
		this.logger.setLevel(this.levelBefore);
	}

}
