package io.statestore.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Writes results that have the same columns. A table is printed after every
 * {@value #BLOCK} rows, on flush, and on close, because its column widths depend on the
 * rows.
 */
final class RecordWriter implements AutoCloseable {

	private static final int BLOCK = 1000;

	/** Number of rows after which the output is flushed and checked for errors. */
	private static final int CHECKED = 100;

	private final PrintStream out;

	private final OutputFormat format;

	private final String columns;

	private final List<String[]> rows = new ArrayList<>();

	private long written;

	/**
	 * Creates a writer.
	 * @param columns column names, separated by spaces
	 */
	RecordWriter(PrintStream out, OutputFormat format, String columns) {
		this.out = out;
		this.format = format;
		this.columns = columns;
	}

	/**
	 * Writes a result.
	 * @param values a value for each column; see {@link Json#object} for the types
	 * @throws CliException if the output did not accept earlier results, for example
	 * because the program reading it has ended
	 */
	void write(@Nullable Object... values) {
		if (this.format != OutputFormat.TABLE) {
			print(this.out, this.format, fields(this.columns, values));
		}
		else {
			if (this.written == 0) {
				this.rows.add(this.columns.toUpperCase(Locale.ROOT).split(" "));
			}
			this.rows.add(cells(values));
			if (this.rows.size() >= BLOCK) {
				flush();
			}
		}
		if (++this.written % CHECKED == 0) {
			requireAccepted(this.out);
		}
	}

	/** Flushes the output and fails if it did not accept earlier results. */
	static void requireAccepted(PrintStream out) {
		if (out.checkError()) {
			throw new CliException(ExitCodes.FAILED, "Writing to standard output failed; the results are incomplete");
		}
	}

	/** Prints all rows written so far, including table rows. */
	void flush() {
		int[] widths = new int[this.columns.split(" ").length];
		for (String[] row : this.rows) {
			Arrays.setAll(widths, (i) -> Math.max(widths[i], row[i].length()));
		}
		for (String[] row : this.rows) {
			StringBuilder line = new StringBuilder();
			for (int i = 0; i < widths.length; i++) {
				line.append(padded(row[i], widths[i]));
			}
			this.out.println(line.toString().stripTrailing());
		}
		this.rows.clear();
		this.out.flush();
	}

	@Override
	public void close() {
		flush();
	}

	/**
	 * Prints one result. A table has a line for each field, plus more lines for
	 * multi-line values. The other formats use a single line.
	 */
	static void print(PrintStream out, OutputFormat format, Map<String, ? extends @Nullable Object> fields) {
		switch (format) {
			case JSON -> out.println(Json.object(fields));
			case RAW -> out.println(String.join("\t", cells(fields.values().toArray())));
			case TABLE -> {
				int width = fields.keySet().stream().mapToInt(String::length).max().orElse(0);
				fields.forEach((name, value) -> {
					String text = (value instanceof ShownValue shown) ? shown.toString() : cells(value)[0];
					out.println(padded(name, width) + text.replace("\n", System.lineSeparator() + padded("", width)));
				});
			}
		}
	}

	private static String padded(String text, int width) {
		return text + " ".repeat(width - text.length() + 2);
	}

	/** Returns a map of names, separated by spaces, to values, in order. */
	static Map<String, @Nullable Object> fields(String names, @Nullable Object... values) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		for (String name : names.split(" ")) {
			fields.put(name, values[fields.size()]);
		}
		return fields;
	}

	/** Returns values without line breaks and control characters. */
	private static String[] cells(@Nullable Object... values) {
		String[] cells = new String[values.length];
		Arrays.setAll(cells, (i) -> (values[i] != null) ? Texts.onOneLine(values[i].toString()) : "-");
		return cells;
	}

}
