package io.statestore.broker.server;

import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

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
	void leavesOrdinaryTextAlone() {
		this.log.warn("Client '{}' on {}", "Fräse-7 \u673A\u5668 {}", "press/1");
		assertThat(this.appender.list).singleElement()
			.extracting(ILoggingEvent::getFormattedMessage)
			.isEqualTo("Client 'Fräse-7 \u673A\u5668 {}' on press/1");
	}

}
