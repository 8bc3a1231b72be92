package io.statestore.client.mqtt;

import java.net.ConnectException;
import java.time.Duration;

import ch.qos.logback.classic.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutageTests {

	private final CapturedLog log = new CapturedLog();

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
			this.outage.attempt();
			this.outage.attemptFailed(new ConnectException(), Duration.ofSeconds(1));
		}
		assertThat(this.log.messages(Level.WARN)).hasSize(5).allMatch((message) -> message.contains("statestore.host"));
		this.outage.end(true);
		assertThat(this.log.messages(Level.INFO)).singleElement().asString().endsWith("after 299.0 s, 300 attempts");
	}

	@Test
	void warnsOfEachLoss() {
		this.outage.beginAfterLoss("first", Duration.ZERO);
		this.outage.attempt();
		this.outage.attemptFailed(new ConnectException(), Duration.ZERO);
		this.outage.beginAfterLoss("second", Duration.ZERO);
		assertThat(this.log.messages(Level.WARN)).hasSize(2)
			.allMatch((message) -> message.startsWith("Lost connection"));
	}

}
