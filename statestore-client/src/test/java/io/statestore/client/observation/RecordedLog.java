package io.statestore.client.observation;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.slf4j.LoggerFactory;

/** Warnings and errors of a logger, recorded until closed. */
final class RecordedLog implements AutoCloseable {

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	private final Logger logger;

	RecordedLog(String name) {
		this.logger = (Logger) LoggerFactory.getLogger(name);
		this.appender.list = new CopyOnWriteArrayList<>();
		this.appender.start();
		this.logger.addAppender(this.appender);
	}

	List<String> messages() {
		return this.appender.list.stream()
			.filter((event) -> event.getLevel().isGreaterOrEqual(Level.WARN))
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	@Override
	public void close() {
		this.logger.detachAppender(this.appender);
	}

}
