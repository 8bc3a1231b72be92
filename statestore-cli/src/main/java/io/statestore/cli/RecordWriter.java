package io.statestore.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

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

	private final String[] columns;

	private final List<String[]> rows = new ArrayList<>();

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
	 * because the program reading it has ended
	 */
	void write(@Nullable Object... values) {
		if (this.format == OutputFormat.TABLE) {
			if (this.written == 0) {
				this.rows
					.add(Stream.of(this.columns).map((name) -> name.toUpperCase(Locale.ROOT)).toArray(String[]::new));
			}
			this.rows.add(cells(values));
			if (this.rows.size() >= BLOCK) {
				printRows();
			}
		}
		else {
			print(this.out, this.format, fields(this.columns, values));
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
		printRows();
		this.out.flush();
	}

	@Override
	public void close() {
		flush();
	}

	private void printRows() {
		int[] widths = new int[this.columns.length];
		for (String[] row : this.rows) {
			Arrays.setAll(widths, (i) -> Math.max(widths[i], row[i].length()));
		}
		for (String[] row : this.rows) {
			StringBuilder line = new StringBuilder();
			for (int i = 0; i < widths.length; i++) {
				line.append(row[i]).append(" ".repeat(widths[i] - row[i].length() + 2));
			}
			this.out.println(line.toString().stripTrailing());
		}
		this.rows.clear();
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
				int width = 2;
				for (String name : fields.keySet()) {
					width = Math.max(width, name.length() + 2);
				}
				for (Map.Entry<String, ? extends @Nullable Object> field : fields.entrySet()) {
					String name = field.getKey();
					String text = (field.getValue() instanceof ShownValue shown) ? shown.toString()
							: cells(field.getValue())[0];
					out.println(name + " ".repeat(width - name.length())
							+ text.replace("\n", System.lineSeparator() + " ".repeat(width)));
				}
			}
		}
	}

	/** Returns a map of names to values, in order. */
	static Map<String, @Nullable Object> fields(String[] names, @Nullable Object... values) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		for (int i = 0; i < names.length; i++) {
			fields.put(names[i], values[i]);
		}
		return fields;
	}

	/** Returns values without line breaks and control characters. */
	private static String[] cells(@Nullable Object... values) {
		String[] cells = new String[values.length];
		for (int i = 0; i < cells.length; i++) {
			Object value = values[i];
			cells[i] = (value != null) ? Texts.onOneLine(value.toString()) : "-";
		}
		return cells;
	}

}
