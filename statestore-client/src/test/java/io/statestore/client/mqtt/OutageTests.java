package io.statestore.client.mqtt;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutageTests {

	private long now;

	private final Outage outage = new Outage(() -> this.now);

	@Test
	void warnsAtOnceThenOncePerMinute() {
		int warnings = 0;
		for (int second = 0; second < 300; second++) {
			this.now = Duration.ofSeconds(second).toNanos();
			this.outage.attempt();
			warnings += this.outage.isWarningDue() ? 1 : 0;
		}
		assertThat(warnings).isEqualTo(5);
		assertThat(this.outage.attempts()).isEqualTo(300);
		assertThat(this.outage.duration()).isEqualTo(Duration.ofSeconds(299));
	}

	@Test
	void startsOverWithEachOutage() {
		this.outage.isWarningDue();
		this.outage.attempt();
		this.now = Duration.ofSeconds(1).toNanos();
		this.outage.begin();
		assertThat(this.outage.isWarningDue()).isTrue();
		assertThat(this.outage.attempts()).isZero();
		assertThat(this.outage.duration()).isZero();
	}

}
