package io.statestore.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Decides whether this build is slower than an earlier build in one row. A single run is
 * not enough to decide against this build, because other processes may have slowed it
 * down: a row that misses its bound is run again, and fails if it misses in three runs.
 */
final class Guard {

	private static final int RUNS = 3;

	private static final double LEAST_RATE = 0.9;

	private final String row;

	private final Goal goal;

	private final List<Double> ratios = new ArrayList<>();

	Guard(String row, String unit) {
		this.row = row;
		this.goal = unit.equals("1/s") ? Goal.atLeast("this build", "earlier build", LEAST_RATE)
				: Goal.atMost("this build", "earlier build", 1 / LEAST_RATE);
	}

	/**
	 * Adds a run's ratio of medians: this build's median divided by the earlier build's.
	 */
	void add(double ratio) {
		this.ratios.add(ratio);
	}

	/** Returns whether another run is needed to decide. */
	boolean needsRun() {
		return this.ratios.size() < RUNS && hasMissed();
	}

	boolean hasFailed() {
		return this.ratios.size() == RUNS && hasMissed();
	}

	private boolean hasMissed() {
		return this.ratios.stream().noneMatch(this.goal::isMet);
	}

	/** Returns the message for a failed row. */
	@Override
	public String toString() {
		String ratios = this.ratios.stream()
			.map((ratio) -> String.format(Locale.ROOT, "%.2f", ratio))
			.collect(Collectors.joining(", "));
		return this.row + ": the ratios to the earlier build are " + ratios + ", not " + this.goal
				+ ". Find the commit: run 'git bisect' with 'benchmarks/run builds' and the same JAR";
	}

}
