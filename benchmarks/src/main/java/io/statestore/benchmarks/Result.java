package io.statestore.benchmarks;

import java.util.Arrays;
import java.util.Locale;

/**
 * Results of one implementation in one scenario.
 *
 * @param scenario the scenario
 * @param implementation name of the implementation
 * @param rounds result of each round, in the unit of the scenario
 */
record Result(Scenario scenario, String implementation, double[] rounds) {

	double median() {
		double[] sorted = sorted();
		int middle = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	}

	double min() {
		return sorted()[0];
	}

	double max() {
		return sorted()[this.rounds.length - 1];
	}

	/** Returns a line for the console. */
	@Override
	public String toString() {
		return String.format(Locale.ROOT, "  %-40s %12.1f  (%.1f to %.1f)", this.implementation, median(), min(),
				max());
	}

	private double[] sorted() {
		double[] sorted = this.rounds.clone();
		Arrays.sort(sorted);
		return sorted;
	}

}
