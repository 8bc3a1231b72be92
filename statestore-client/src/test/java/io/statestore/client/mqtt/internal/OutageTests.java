package io.statestore.client.mqtt.internal;

import java.net.ConnectException;
import java.time.Duration;

import ch.qos.logback.classic.Level;
import io.statestore.client.mqtt.BrokerAddress;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated("captures the log")
class OutageTests {

	private static final BrokerAddress HOST = new BrokerAddress("localhost", 1883);

	private final CapturedLog log = new CapturedLog("io.statestore.client.mqtt", Level.DEBUG);

	private long now;

	private final Outage outage = new Outage(ConnectionOptions.builder().build(), () -> this.now);

	@AfterEach
	void close() {
		this.log.close();
	}

	@Test
	void warnsAtOnceThenOncePerMinute() {
		for (int second = 0; second < 300; second++) {
			this.now = Duration.ofSeconds(second).toNanos();
			this.outage.attempt(HOST);
			this.outage.attemptFailed(new ConnectException(), Duration.ofSeconds(1));
		}
		assertThat(this.log.messages(Level.WARN)).hasSize(5).allMatch((message) -> message.contains("statestore.host"));
		this.outage.end(true);
		assertThat(this.log.messages(Level.INFO)).singleElement().asString().endsWith("after 299.0 s, 300 attempts");
	}

	@Test
	void warnsOfFirstRefusalDuringOutage() {
		this.outage.end(false);
		this.outage.beginAfterLoss(new IllegalStateException("loss"), Duration.ZERO);
		for (int attempt = 0; attempt < 10; attempt++) {
			this.outage.attempt(HOST);
			this.outage.attemptFailed((attempt < 5) ? new ConnectException() : BrokerException.refused(0x86, null),
					Duration.ZERO);
		}
		assertThat(this.log.messages(Level.WARN)).hasSize(2);
		assertThat(this.log.messages(Level.WARN).get(1)).contains("0x86", "statestore.username");
	}

	@Test
	void sharesWarningsOfRefusalsBetweenShortConnections() {
		for (int second = 0; second < 60; second++) {
			this.now = Duration.ofSeconds(second).toNanos();
			this.outage.beginAfterLoss(new IllegalStateException("dropped"), Duration.ofSeconds(1));
			this.outage.attempt(HOST);
			this.outage.attemptFailed(BrokerException.refused(0x86, null), Duration.ZERO);
			this.outage.attempt(HOST);
			this.outage.end(true);
		}
		assertThat(this.log.messages(Level.WARN)).hasSizeBetween(2, 4);
	}

	@Test
	void warnsOfEachLossAfterLongConnection() {
		for (int minute = 0; minute < 10; minute += 2) {
			this.now = Duration.ofMinutes(minute).toNanos();
			this.outage.beginAfterLoss(new IllegalStateException("loss"), Duration.ZERO);
			this.outage.attempt(HOST);
			this.outage.attemptFailed(new ConnectException(), Duration.ZERO);
			this.outage.end(true);
		}
		assertThat(this.log.messages(Level.WARN)).hasSize(5)
			.allMatch((message) -> message.startsWith("Lost connection"));
		assertThat(this.log.messages(Level.INFO)).hasSize(5);
	}

	@Test
	void warnsOncePerMinuteOfShortConnections() {
		for (int second = 0; second < 60; second++) {
			this.now = Duration.ofSeconds(second).toNanos();
			this.outage.beginAfterLoss(new IllegalStateException("dropped"), Duration.ofSeconds(1));
			this.outage.attempt(HOST);
			this.outage.end(true);
		}
		assertThat(this.log.messages(Level.WARN)).hasSizeBetween(1, 2);
		assertThat(this.log.messages(Level.INFO)).hasSizeBetween(1, 2);
		assertThat(this.log.messages(Level.DEBUG)).filteredOn((message) -> message.startsWith("Lost connection"))
			.hasSizeGreaterThan(57);
	}

	@Test
	void warnsWhenOutageAfterShortConnectionLasts() {
		this.outage.beginAfterLoss(new IllegalStateException("first"), Duration.ZERO);
		this.outage.end(true);
		this.outage.beginAfterLoss(new IllegalStateException("second"), Duration.ZERO);
		this.now = Outage.WARNING_INTERVAL.toNanos();
		this.outage.attempt(HOST);
		this.outage.attemptFailed(new ConnectException(), Duration.ZERO);
		this.outage.end(true);
		assertThat(this.log.messages(Level.WARN)).hasSize(2);
		assertThat(this.log.messages(Level.INFO)).hasSize(2);
	}

}
