package io.statestore.sample.room;

import java.util.List;
import java.util.Locale;

/**
 * A line of readings for an SVG picture of 240 × 64 units.
 *
 * @param line points of the line
 * @param area points of the area below the line
 * @param x horizontal position of the latest reading
 * @param y vertical position of the latest reading
 * @param label description for screen readers
 */
record Chart(String line, String area, String x, String y, String label) {

	private static final double WIDTH = 240;

	private static final double HEIGHT = 64;

	private static final double MARGIN = 6;

	private static final int READINGS = 60;

	/** Smallest range of the vertical axis in degrees, so that noise stays small. */
	private static final double MIN_RANGE = 12;

	static Chart of(String name, List<Double> readings) {
		if (readings.isEmpty()) {
			return new Chart("", "", "", "", "No temperature of " + name + " yet");
		}
		double lowest = readings.stream().mapToDouble(Double::doubleValue).min().orElse(0);
		double highest = readings.stream().mapToDouble(Double::doubleValue).max().orElse(0);
		double range = Math.max(highest - lowest, MIN_RANGE);
		double bottom = (highest + lowest - range) / 2;
		StringBuilder line = new StringBuilder();
		double x = 0;
		double y = 0;
		for (int i = 0; i < readings.size(); i++) {
			x = WIDTH - MARGIN - (readings.size() - 1 - i) * (WIDTH - 2 * MARGIN) / (READINGS - 1);
			y = HEIGHT - MARGIN - (readings.get(i) - bottom) / range * (HEIGHT - 2 * MARGIN);
			line.append((i > 0) ? " " : "").append(number(x)).append(',').append(number(y));
		}
		String first = line.substring(0, line.indexOf(","));
		String area = first + ',' + number(HEIGHT) + ' ' + line + ' ' + number(x) + ',' + number(HEIGHT);
		return new Chart(line.toString(), area, number(x), number(y),
				"Temperature of " + name + ": now " + number(readings.get(readings.size() - 1)) + " °C, lowest "
						+ number(lowest) + " °C, highest " + number(highest) + " °C");
	}

	static String number(double number) {
		return String.format(Locale.ROOT, "%.1f", number);
	}

}
