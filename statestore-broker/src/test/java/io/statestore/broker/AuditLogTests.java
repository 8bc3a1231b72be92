package io.statestore.broker;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The start of Artemis writes a line of audit log that JDK 24 and newer do not support.
 */
@Isolated("captures the log")
class AuditLogTests {

	private final Logger audit = (Logger) LoggerFactory.getLogger("org.apache.activemq.audit");

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

	@BeforeEach
	void enable() {
		this.lines.start();
		this.audit.addAppender(this.lines);
		this.audit.setAdditive(false);
		this.audit.setLevel(Level.INFO);
	}

	@AfterEach
	void restore() {
		this.audit.setLevel(null);
		this.audit.setAdditive(true);
		this.audit.detachAppender(this.lines);
	}

	@Test
	void brokerStartsWithAnyLevelOfAuditLog() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				PahoClient client = PahoClient.of(broker, "audited")) {
			assertThat(client.call("SET", "key", "value").payload()).isEqualTo("+OK\r\n");
		}
		assertThat(this.lines.list).extracting(ILoggingEvent::getFormattedMessage)
			.anyMatch((line) -> line.contains("is creating a core session"));
		assertThat(this.audit.getLevel()).isEqualTo(Level.INFO);
	}

}
