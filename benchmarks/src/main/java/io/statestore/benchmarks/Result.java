package io.statestore.benchmarks;

import java.util.Arrays;

/** All rounds of one contestant in one scenario. */
record Result(Scenario scenario, String contestant, double[] rounds) {

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

	private double[] sorted() {
		double[] sorted = this.rounds.clone();
		Arrays.sort(sorted);
		return sorted;
	}

}
