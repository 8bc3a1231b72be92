package io.statestore.benchmarks;

import java.util.Locale;

/**
 * Goal for the ratio of two implementations in a scenario.
 *
 * @param implementation name of the implementation whose result is the numerator
 * @param peer name of the implementation whose result is the denominator
 * @param bound lowest or highest ratio that meets the goal
 * @param minimum whether {@code bound} is the lowest ratio; otherwise, it is the highest
 */
record Goal(String implementation, String peer, double bound, boolean minimum) {

	static Goal atLeast(String implementation, String peer, double bound) {
		return new Goal(implementation, peer, bound, true);
	}

	static Goal atMost(String implementation, String peer, double bound) {
		return new Goal(implementation, peer, bound, false);
	}

	boolean isMet(double ratio) {
		return this.minimum ? ratio >= this.bound : ratio <= this.bound;
	}

	/** Returns the goal for the report, such as "≥ 0.75". */
	@Override
	public String toString() {
		return String.format(Locale.ROOT, "%s %.2f", this.minimum ? "≥" : "≤", this.bound);
	}

}
