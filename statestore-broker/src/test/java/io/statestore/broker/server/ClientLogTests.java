package io.statestore.broker.server;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated("captures the log")
class ClientLogTests {

	private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - 5);

	private final Logger logger = (Logger) LoggerFactory.getLogger("ClientLogTests");

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	private final ClientLog log = new ClientLog(this.logger, this.time::get);

	@BeforeEach
	void capture() {
		this.logger.setAdditive(false);
		this.appender.start();
		this.logger.addAppender(this.appender);
	}

	@AfterEach
	void release() {
		this.logger.detachAppender(this.appender);
	}

	@Test
	void logsEachKindOncePerIntervalWithCount() {
		for (int i = 0; i < 1_000; i++) {
			this.log.warn("Refused client '{}'", "c" + i);
		}
		this.log.warn("Dropped a message of client '{}'", "other");
		this.time.addAndGet(ClientLog.INTERVAL.toNanos());
		this.log.warn("Refused client '{}'", "again");
		this.time.addAndGet(ClientLog.INTERVAL.toNanos());
		this.log.warn("Refused client '{}'", "last");

		assertThat(this.appender.list).extracting(ILoggingEvent::getFormattedMessage)
			.containsExactly("Refused client 'c0'", "Dropped a message of client 'other'",
					"Refused client 'again' (999 more like this were not logged)", "Refused client 'last'");
	}

	@Test
	void logsOneEscapedStackTracePerInterval() {
		for (int i = 0; i < 3; i++) {
			this.log.error(new IllegalStateException("a\nb", new IOException("c\nd")), "Failed for client '{}'",
					"e\nf");
		}
		assertThat(this.appender.list).singleElement().satisfies((event) -> {
			assertThat(event.getFormattedMessage()).isEqualTo("Failed for client 'e\\u000Af'");
			assertThat(event.getThrowableProxy().getMessage()).contains("IllegalStateException: a\\u000Ab");
			assertThat(event.getThrowableProxy().getStackTraceElementProxyArray()).isNotEmpty();
			assertThat(event.getThrowableProxy().getCause().getMessage()).contains("IOException: c\\u000Ad");
		});
	}

	@Test
	void logsFailureWithCyclicCause() {
		IOException failure = new IOException("a");
		failure.initCause(new IOException("b", failure));
		this.log.error(failure, "Failed");
		assertThat(this.appender.list).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\nb", "a\rb", "a\u001B[31mb", "a\u0085b", "a\u2028b", "a\u202Eb", "a\u0000b" })
	void escapesCharactersThatCouldForgeEntries(String clientId) {
		this.log.warn("Refused client '{}'", clientId);
		String character = String.format("\\u%04X", (int) clientId.charAt(1));
		assertThat(this.appender.list).singleElement()
			.extracting(ILoggingEvent::getFormattedMessage)
			.asString()
			.startsWith("Refused client 'a" + character)
			.endsWith("b'");
	}

	@Test
	void leavesOrdinaryTextUnchanged() {
		this.log.warn("Client '{}' on {}", "Fräse-7 \u673A\u5668 {}", "press/1");
		assertThat(this.appender.list).singleElement()
			.extracting(ILoggingEvent::getFormattedMessage)
			.isEqualTo("Client 'Fräse-7 \u673A\u5668 {}' on press/1");
	}

}
