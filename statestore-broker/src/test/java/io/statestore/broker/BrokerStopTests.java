package io.statestore.broker;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.statestore.broker.conformance.StoreClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Stopping a broker while connections are ending. */
@Tag("long")
@Timeout(120)
@Isolated("changes system properties")
class BrokerStopTests {

	private static final int STOPS = 60;

	private final Queue<String> problems = new ConcurrentLinkedQueue<>();

	private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

	private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {

		@Override
		protected void append(ILoggingEvent event) {
			if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
				BrokerStopTests.this.problems.add(event.getFormattedMessage());
			}
		}

	};

	private final Thread.@Nullable UncaughtExceptionHandler original = Thread.getDefaultUncaughtExceptionHandler();

	@BeforeEach
	void record() {
		Thread.setDefaultUncaughtExceptionHandler((thread, ex) -> this.problems.add(thread.getName() + ": " + ex));
		this.appender.start();
		this.root.addAppender(this.appender);
	}

	@AfterEach
	void restore() {
		this.root.detachAppender(this.appender);
		Thread.setDefaultUncaughtExceptionHandler(this.original);
	}

	@Test
	void stopsSilentlyWithClosingAndOpenConnections() {
		for (int i = 0; i < STOPS; i++) {
			try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
				List<StoreClient> clients = List.of(StoreClient.connect(broker.port(), "open"),
						StoreClient.connect(broker.port(), "closing"));
				clients.forEach((client) -> client.call("SET", "key", "value"));
				clients.get(1).close();
			}
		}
		assertThat(this.problems).isEmpty();
	}

}
