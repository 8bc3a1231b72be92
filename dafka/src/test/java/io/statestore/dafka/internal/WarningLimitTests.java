package io.statestore.dafka.internal;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WarningLimitTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final WarningLimit limit = new WarningLimit();

	@Test
	void permitsTenImmediatelyThenOnePerMinute() {
		long start = Long.MAX_VALUE - SECOND;
		int permitted = 0;
		for (int second = 0; second < 600; second++) {
			for (int i = 0; i < 100; i++) {
				permitted += this.limit.permits(start + second * SECOND) ? 1 : 0;
			}
		}
		assertThat(permitted).isEqualTo(10 + 9);
		assertThat(this.limit.suppressed()).isEqualTo(60_000 - 19);
	}

}
