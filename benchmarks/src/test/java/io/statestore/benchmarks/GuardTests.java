package io.statestore.benchmarks;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link Guard}. */
class GuardTests {

	private static Guard rates(double... ratios) {
		return guard("1/s", ratios);
	}

	private static Guard times(double... ratios) {
		return guard("us", ratios);
	}

	private static Guard guard(String unit, double... ratios) {
		Guard guard = new Guard("GET, 100 B", unit);
		for (double ratio : ratios) {
			assertThat(guard.needsRun()).isTrue();
			guard.add(ratio);
		}
		return guard;
	}

	@Test
	void runsEachRowOnce() {
		assertThat(rates().needsRun()).isTrue();
		assertThat(rates().hasFailed()).isFalse();
	}

	@Test
	void passesRowWithinBoundsImmediately() {
		for (Guard guard : new Guard[] { rates(0.9), rates(1), rates(5), times(1.11), times(1), times(0.2) }) {
			assertThat(guard.needsRun()).isFalse();
			assertThat(guard.hasFailed()).isFalse();
		}
	}

	@Test
	void rerunsRowThatMisses() {
		for (Guard guard : new Guard[] { rates(0.89), rates(0.5, 0.89), times(1.12), times(9, 1.12) }) {
			assertThat(guard.needsRun()).isTrue();
			assertThat(guard.hasFailed()).isFalse();
		}
	}

	@Test
	void passesRowThatMissesFewerThanThreeTimes() {
		for (Guard guard : new Guard[] { rates(0.8, 0.9), rates(0.8, 0.8, 0.9), times(2, 1), times(2, 2, 1) }) {
			assertThat(guard.needsRun()).isFalse();
			assertThat(guard.hasFailed()).isFalse();
		}
	}

	@Test
	void failsRowThatMissesThreeTimes() {
		for (Guard guard : new Guard[] { rates(0.8, 0.1, 0.89), times(2, 1.12, 1.2) }) {
			assertThat(guard.needsRun()).isFalse();
			assertThat(guard.hasFailed()).isTrue();
		}
	}

	@Test
	void needsRunWithoutRatio() {
		assertThat(rates(Double.NaN).needsRun()).isTrue();
		assertThat(times(Double.NaN).needsRun()).isTrue();
	}

	@Test
	void namesRowRatiosAndNextStep() {
		assertThat(rates(0.8, 0.123, 0.89))
			.hasToString("GET, 100 B: the ratios to the earlier build are 0.80, 0.12, 0.89, not ≥ 0.90. Find the "
					+ "commit: run 'git bisect' with 'benchmarks/run builds' and the same JAR");
		assertThat(times(2, 1.12, 1.2).toString()).contains("2.00, 1.12, 1.20, not ≤ 1.11");
	}

}
