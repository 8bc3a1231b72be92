package io.statestore.benchmarks;

import java.util.Arrays;
import java.util.Locale;

/**
 * An implementation's results in one scenario.
 *
 * @param scenario scenario that was run
 * @param implementation name of the implementation
 * @param rounds results of all rounds in ascending order, in the scenario's unit
 */
record Result(Scenario scenario, String implementation, double[] rounds) {

	Result {
		rounds = rounds.clone();
		Arrays.sort(rounds);
	}

	double median() {
		int count = this.rounds.length;
		return (this.rounds[(count - 1) / 2] + this.rounds[count / 2]) / 2;
	}

	double min() {
		return this.rounds[0];
	}

	double max() {
		return this.rounds[this.rounds.length - 1];
	}

	/** Returns a line for the console. */
	@Override
	public String toString() {
		return String.format(Locale.ROOT, "  %-40s %12.1f  (%.1f to %.1f)", this.implementation, median(), min(),
				max());
	}

}
