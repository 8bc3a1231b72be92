package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;

/**
 * Results as a Markdown table and as charts.
 *
 * @param results results by scenario name
 * @param run description of the machine and the suite
 */
record Report(Map<String, List<Result>> results, String run) {

	private static final int CHARTS_PER_ROW = 2;

	void write(Path directory, String name) throws IOException {
		Files.createDirectories(directory);
		Path table = directory.resolve(name + ".md");
		Files.writeString(table, markdown(name));
		System.out.println("\nWrote " + table);
		List<Chart<?, ?>> charts = new ArrayList<>();
		this.results.forEach((scenario, rows) -> charts.add(chart(scenario, rows)));
		if (!charts.isEmpty()) {
			int columns = Math.min(CHARTS_PER_ROW, charts.size());
			int rows = (charts.size() + columns - 1) / columns;
			for (int i = charts.size(); i < rows * columns; i++) {
				// Repeats the last chart, because every cell must be filled.
				charts.add(charts.get(i - 1));
			}
			BitmapEncoder.saveBitmap(charts, rows, columns, directory.resolve(name).toString(), BitmapFormat.PNG);
		}
	}

	private String markdown(String name) {
		StringBuilder text = new StringBuilder("# Results, " + name + "\n\n" + this.run + ".\n\n"
				+ "Medians of rounds in which the implementations took turns. Ratio: ours divided by the implementation.\n\n"
				+ "![charts](" + name + ".png)\n\n| scenario | implementation | median | from | to | unit | ratio |\n"
				+ "|---|---|---|---|---|---|---|\n");
		this.results.forEach((scenario,
				rows) -> rows.forEach((row) -> text.append(String.format(Locale.ROOT,
						"| %s | %s | %,.1f | %,.1f | %,.1f | %s | %s |%n", scenario, row.implementation(), row.median(),
						row.min(), row.max(), row.scenario().unit(), ratio(rows.get(0), row)))));
		return text.append(goals()).toString();
	}

	/** Returns a table with the goals of all scenarios; empty if there are none. */
	private String goals() {
		StringBuilder text = new StringBuilder();
		this.results.forEach((scenario, rows) -> rows.get(0).scenario().goals().forEach((goal) -> {
			Result result = find(rows, goal.implementation());
			Result peer = find(rows, goal.peer());
			if (result != null && peer != null) {
				double ratio = result.median() / peer.median();
				text.append(String.format(Locale.ROOT, "| %s | %s ÷ %s | %.2f | %s | %s |%n", scenario,
						goal.implementation(), goal.peer(), ratio, goal, goal.isMet(ratio) ? "yes" : "**no**"));
			}
		}));
		return text.isEmpty() ? ""
				: "\n## Goals\n\n| scenario | medians | ratio | goal | met |\n|---|---|---|---|---|\n" + text;
	}

	private static @Nullable Result find(List<Result> rows, String implementation) {
		return rows.stream().filter((row) -> row.implementation().equals(implementation)).findFirst().orElse(null);
	}

	private static String ratio(Result ours, Result other) {
		return (ours == other) ? "" : String.format(Locale.ROOT, "%.2f", ours.median() / other.median());
	}

	private static CategoryChart chart(String scenario, List<Result> rows) {
		CategoryChart chart = new CategoryChartBuilder().width(600)
			.height(300)
			.title(scenario)
			.yAxisTitle(rows.get(0).scenario().unit())
			.build();
		chart.getStyler().setLegendVisible(false);
		chart.getStyler().setXAxisLabelRotation(20);
		chart.addSeries("median", rows.stream().map(Result::implementation).toList(),
				rows.stream().map(Result::median).toList());
		return chart;
	}

}
