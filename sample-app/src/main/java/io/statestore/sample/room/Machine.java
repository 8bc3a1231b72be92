package io.statestore.sample.room;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import tools.jackson.databind.JsonNode;

/**
 * A press, as shown on the page.
 *
 * @param name press name, such as {@code press-1}
 * @param reading latest reading; missing if there is none
 * @param leader whether the press leads the line
 * @param state state of the process, in words
 * @param connected whether the press's cable is plugged in
 * @param temperatures latest temperatures, oldest first
 * @param canPause whether processes can be paused on this machine
 */
record Machine(String name, JsonNode reading, boolean leader, String state, boolean connected,
		List<Double> temperatures, boolean canPause) {

	static final String RUNNING = "Running";

	/** Is running, but has not stored a reading yet or for a while. */
	static final String SILENT = "Silent";

	static final String PAUSED = "Paused";

	static final String ENDED = "Ended";

	/** Was started elsewhere, so this control room cannot pause or kill it. */
	static final String ELSEWHERE = "Started elsewhere";

	/** Minimum range of the chart in degrees, so that noise looks small. */
	private static final double MIN_RANGE = 12;

	public double number(String field) {
		return this.reading.path(field).asDouble(0);
	}

	public double lowest() {
		return this.temperatures.stream().mapToDouble(Double::doubleValue).min().orElse(0);
	}

	public double highest() {
		return this.temperatures.stream().mapToDouble(Double::doubleValue).max().orElse(0);
	}

	/** Returns the points of the chart's line. The vertical axis points down. */
	public String points() {
		int first = Line.MAX_TEMPERATURES - this.temperatures.size();
		return IntStream.range(0, this.temperatures.size())
			.mapToObj((i) -> (first + i) + "," + -this.temperatures.get(i))
			.collect(Collectors.joining(" "));
	}

	/** Returns the chart's area: left, top, width, and height. */
	public String viewBox() {
		double range = Math.max(highest() - lowest(), MIN_RANGE) * 1.2;
		return "0 " + -((highest() + lowest() + range) / 2) + ' ' + (Line.MAX_TEMPERATURES - 1) + ' ' + range;
	}

}
