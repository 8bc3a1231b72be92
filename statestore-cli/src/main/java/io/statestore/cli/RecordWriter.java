package io.statestore.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Writer of results with the same columns. A table is printed after every {@value #BLOCK}
 * rows, on flush, and on close, because the width of its columns depends on the rows.
 */
final class RecordWriter implements AutoCloseable {

	private static final int BLOCK = 1000;

	/** Number of rows after which the output is checked, which also flushes it. */
	private static final int CHECKED = 100;

	private final PrintStream out;

	private final OutputFormat format;

	private final String[] columns;

	private final List<List<String>> rows = new ArrayList<>();

	private boolean headerPrinted;

	private long written;

	RecordWriter(PrintStream out, OutputFormat format, String... columns) {
		this.out = out;
		this.format = format;
		this.columns = columns;
	}

	/**
	 * Writes a result.
	 * @param values a value for each column; see {@link Json#object} for the types
	 * @throws CliException if the output did not accept earlier results, for example
	 * because its reader has ended
	 */
	void write(@Nullable Object... values) {
		switch (this.format) {
			case JSON -> {
				Map<String, @Nullable Object> fields = new LinkedHashMap<>();
				for (int i = 0; i < this.columns.length; i++) {
					fields.put(this.columns[i], values[i]);
				}
				this.out.println(Json.object(fields));
			}
			case RAW -> this.out.println(raw(Arrays.stream(values).map(RecordWriter::line).toList()));
			case TABLE -> {
				this.rows.add(Arrays.stream(values).map(RecordWriter::line).toList());
				if (this.rows.size() == BLOCK) {
					printRows();
				}
			}
		}
		if (++this.written % CHECKED == 0 && this.out.checkError()) {
			this.rows.clear();
			throw new CliException(ExitCodes.FAILED, "Writing to standard output failed; the results are incomplete");
		}
	}

	/** Prints all rows so far, also those of a table. */
	void flush() {
		printRows();
		this.out.flush();
	}

	@Override
	public void close() {
		flush();
	}

	private void printRows() {
		if (this.rows.isEmpty()) {
			return;
		}
		if (!this.headerPrinted) {
			this.rows.add(0, Arrays.stream(this.columns).map((name) -> name.toUpperCase(Locale.ROOT)).toList());
			this.headerPrinted = true;
		}
		int[] widths = new int[this.columns.length];
		for (List<String> row : this.rows) {
			for (int i = 0; i < widths.length; i++) {
				widths[i] = Math.max(widths[i], row.get(i).length());
			}
		}
		for (List<String> row : this.rows) {
			StringBuilder line = new StringBuilder();
			for (int i = 0; i < widths.length; i++) {
				line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
			}
			this.out.println(line.toString().stripTrailing());
		}
		this.rows.clear();
	}

	/** Returns values separated by tabs. */
	static String raw(Collection<? extends @Nullable Object> values) {
		return values.stream().map((value) -> (value != null) ? cell(value) : "").collect(Collectors.joining("\t"));
	}

	/** Prints a line for each field. Further lines of a value are indented. */
	static void printFields(PrintStream out, Map<String, ? extends @Nullable Object> fields) {
		int width = fields.keySet().stream().mapToInt(String::length).max().orElse(0) + 2;
		fields.forEach((name, value) -> out.println(name + " ".repeat(width - name.length())
				+ cell(value).replace("\n", System.lineSeparator() + " ".repeat(width))));
	}

	/** Returns a value without line breaks and control characters. */
	private static String line(@Nullable Object value) {
		return (value != null) ? Texts.onOneLine(value.toString()) : "-";
	}

	/**
	 * Returns a value without control characters. Only a value of a key has several
	 * lines.
	 */
	private static String cell(@Nullable Object value) {
		return (value instanceof ShownValue shown) ? shown.toString() : line(value);
	}

}
