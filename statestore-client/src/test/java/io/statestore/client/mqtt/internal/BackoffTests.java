package io.statestore.client.mqtt.internal;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BackoffTests {

	private double random;

	private final Backoff backoff = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(3), () -> this.random);

	@Test
	void doublesUpToMaximum() {
		assertThat(this.backoff.nextDelay()).isEqualTo(Duration.ofMillis(500));
		assertThat(this.backoff.nextDelay()).isEqualTo(Duration.ofSeconds(1));
		assertThat(this.backoff.nextDelay()).isEqualTo(Duration.ofSeconds(2));
		assertThat(this.backoff.nextDelay()).isEqualTo(Duration.ofSeconds(3));
		assertThat(this.backoff.nextDelay()).isEqualTo(Duration.ofSeconds(3));
	}

	@Test
	void subtractsRandomPart() {
		this.random = 0.5;
		assertThat(this.backoff.nextDelay()).isEqualTo(Duration.ofMillis(375));
		this.random = 1;
		assertThat(this.backoff.nextDelay()).isEqualTo(Duration.ofMillis(500));
	}

	@Test
	void startsOverAfterLongConnection() {
		this.backoff.nextDelay();
		this.backoff.nextDelay();
		this.backoff.connectedFor(Duration.ofSeconds(10));
		assertThat(this.backoff.nextDelay()).isEqualTo(Duration.ofMillis(500));
	}

	@Test
	void keepsDelayAfterShortConnection() {
		this.backoff.nextDelay();
		this.backoff.connectedFor(Duration.ofMillis(10));
		assertThat(this.backoff.nextDelay()).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void delaysLongerAfterTakeover() {
		assertThat(this.backoff.nextDelayAfterTakeover()).isEqualTo(Duration.ofSeconds(5));
		this.backoff.connectedFor(Duration.ofSeconds(10));
		assertThat(this.backoff.nextDelayAfterTakeover()).isEqualTo(Duration.ofSeconds(10));
		for (int i = 0; i < 5; i++) {
			this.backoff.nextDelayAfterTakeover();
		}
		assertThat(this.backoff.nextDelayAfterTakeover()).isEqualTo(Duration.ofMinutes(1));
		this.backoff.connectedFor(Duration.ofMinutes(2));
		assertThat(this.backoff.nextDelayAfterTakeover()).isEqualTo(Duration.ofSeconds(5));
	}

}
