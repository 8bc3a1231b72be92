package io.statestore.cli;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

class LatenciesTests {

	private final Latencies latencies = new Latencies();

	@Test
	void isEmptyAtFirst() {
		assertThat(this.latencies.count()).isZero();
		assertThat(this.latencies.percentile(0.5)).isZero();
		assertThat(this.latencies.max()).isZero();
	}

	@Test
	void percentilesAreAtMostThreePercentTooHigh() {
		for (int i = 1; i <= 100_000; i++) {
			this.latencies.add(i * 1000L);
		}
		assertThat(this.latencies.count()).isEqualTo(100_000);
		for (double part : new double[] { 0.01, 0.5, 0.99, 1 }) {
			assertThat((double) this.latencies.percentile(part)).isGreaterThanOrEqualTo(part * 100_000_000)
				.isCloseTo(part * 100_000_000, withPercentage(3.2));
		}
	}

	@Test
	void acceptsAnyDuration() {
		for (long nanos : new long[] { 0, 1, 31, 32, 33, 63, 64, Long.MAX_VALUE }) {
			Latencies single = new Latencies();
			single.add(nanos);
			assertThat(single.percentile(0.5)).isEqualTo(nanos);
		}
	}

}
