package io.statestore.broker.standalone;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.statestore.broker.artemis.ArtemisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/** The log configuration of the standalone broker. */
@Isolated("captures the log")
class ArtemisLogFilterTests {

	private static final String PACKET_FAILED = "AMQ834002: Error processing control packet: {}";

	private final LoggerContext context = new LoggerContext();

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	private Logger artemis;

	@BeforeEach
	void configure() throws Exception {
		JoranConfigurator configurator = new JoranConfigurator();
		configurator.setContext(this.context);
		configurator.doConfigure(StandaloneBroker.class.getResource("logback.xml"));
		Logger root = this.context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
		root.detachAndStopAllAppenders();
		this.appender.start();
		root.addAppender(this.appender);
		this.artemis = this.context.getLogger("org.apache.activemq.artemis.core.protocol.mqtt");
	}

	@AfterEach
	void stop() {
		this.context.stop();
	}

	@Test
	void logsEachKindOnce() {
		for (int i = 0; i < 1_000; i++) {
			this.artemis.error(PACKET_FAILED, "packet " + i, new IllegalStateException("state " + i));
			this.artemis.warn("AMQ222109: Timed out waiting for write lock on consumer {} from {}", "c" + i, "host");
			this.artemis.warn("a text of its own: " + i, new IllegalStateException());
		}
		assertThat(this.appender.list).extracting(ILoggingEvent::getLevel)
			.containsExactly(Level.ERROR, Level.WARN, Level.WARN);
		assertThat(this.appender.list).extracting(ILoggingEvent::getFormattedMessage)
			.satisfiesExactly(
					(message) -> assertThat(message).contains("packet 0", "IllegalStateException: state 0", " at "),
					(message) -> assertThat(message).endsWith("consumer c0 from host"),
					(message) -> assertThat(message).startsWith("a text of its own: 0"));
	}

	@Test
	void logsEachCause() {
		this.artemis.error(PACKET_FAILED, "x",
				new IllegalStateException("first", new IllegalArgumentException("root")));
		assertThat(this.appender.list).singleElement()
			.satisfies((entry) -> assertThat(entry.getFormattedMessage()).contains("first",
					"; caused by java.lang.IllegalArgumentException: root at "));
	}

	@Test
	void distinguishesFailuresWithoutCode() {
		this.artemis.warn("a", new IllegalStateException());
		this.artemis.warn("b", new IllegalArgumentException());
		this.artemis.warn("AMQ chosen by client 1");
		this.artemis.warn("AMQ chosen by client 2");
		assertThat(this.appender.list).extracting(ILoggingEvent::getFormattedMessage)
			.satisfiesExactly((message) -> assertThat(message).startsWith("a"),
					(message) -> assertThat(message).startsWith("b"),
					(message) -> assertThat(message).endsWith("client 1"));
	}

	@Test
	void escapesTextsOfClients() {
		this.artemis.error(PACKET_FAILED, "a\nforged", new IllegalStateException("b\rforged"));
		assertThat(this.appender.list).singleElement().satisfies((entry) -> {
			assertThat(entry.getThrowableProxy()).isNull();
			assertThat(entry.getFormattedMessage()).contains("a\\u000Aforged", "b\\u000Dforged")
				.doesNotContain("\n", "\r");
		});
	}

	@Test
	void omitsExpiredMessages() {
		this.artemis.warn("AMQ222146: Message has expired. No bindings for Expiry Address {} so dropping it", "x");
		assertThat(this.appender.list).isEmpty();
	}

	@Test
	void omitsDeniedWills() {
		this.artemis.error("AMQ834007: Authorization failure sending will message: {}", "denied");
		assertThat(this.appender.list).isEmpty();
	}

	@Test
	void ownLoggersAreIndependentOfEntriesOfArtemis() {
		this.context.getLogger(ArtemisLogFilter.class).setLevel(Level.OFF);
		this.artemis.error(PACKET_FAILED, "x");
		this.context.getLogger(ArtemisServer.class).warn("own");
		assertThat(this.appender.list).extracting(ILoggingEvent::getFormattedMessage).containsExactly("own");
	}

	@Test
	void ignoresOtherLoggersAndLevels() {
		this.artemis.info("not enabled");
		this.artemis.setLevel(Level.OFF);
		this.artemis.error("switched off");
		Logger other = this.context.getLogger("other");
		other.warn("a\nb");
		other.warn("a\nb");
		assertThat(this.appender.list).extracting(ILoggingEvent::getFormattedMessage).containsExactly("a\nb", "a\nb");
	}

}
