package io.statestore.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Decides whether a row of this build is slower than that of an earlier one. A single run
 * decides nothing against this build, because other processes slow it down: a row that
 * misses its bound is run again, and fails if it misses in three runs.
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

	/** Adds the ratio of the medians of a run, ours divided by the earlier one. */
	void add(double ratio) {
		this.ratios.add(ratio);
	}

	/** Returns whether another run decides. */
	boolean needsRun() {
		return this.ratios.size() < RUNS && hasMissed();
	}

	boolean hasFailed() {
		return this.ratios.size() == RUNS && hasMissed();
	}

	private boolean hasMissed() {
		return this.ratios.stream().noneMatch(this.goal::isMet);
	}

	/** Returns the message of a row that has failed. */
	@Override
	public String toString() {
		String ratios = this.ratios.stream()
			.map((ratio) -> String.format(Locale.ROOT, "%.2f", ratio))
			.collect(Collectors.joining(", "));
		return this.row + ": the ratios to the earlier build are " + ratios + ", not " + this.goal
				+ ". Find the commit: run 'git bisect' with 'benchmarks/run builds' and the same JAR";
	}

}
