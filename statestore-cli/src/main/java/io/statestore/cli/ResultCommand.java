package io.statestore.cli;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Command that prints results. */
abstract class ResultCommand extends StoreCommand {

	@Option(names = { "-o", "--output" }, paramLabel = "<format>", defaultValue = "table",
			description = "Output format: table, json (one object per line), or raw (plain values) (default: "
					+ "${DEFAULT-VALUE})")
	private OutputFormat format = OutputFormat.TABLE;

	final OutputFormat format() {
		return this.format;
	}

	/**
	 * Prints one result: a line for each field, or a JSON object.
	 * @param names field names, separated by spaces
	 * @param values a value for each field; see {@link Json#object} for the types
	 */
	final void print(String names, @Nullable Object... values) {
		RecordWriter.print(environment().out(), this.format, RecordWriter.fields(names, values));
	}

	/**
	 * Prints several results with the same columns.
	 * @param columns column names as in JSON, separated by spaces
	 * @param results writes the results
	 * @return {@link ExitCodes#OK}
	 */
	final int list(String columns, Consumer<RecordWriter> results) {
		try (RecordWriter records = records(columns)) {
			results.accept(records);
		}
		return ExitCodes.OK;
	}

	/**
	 * Returns a writer for several results with the same columns. Close it after the last
	 * result.
	 * @param columns column names as in JSON, separated by spaces
	 */
	final RecordWriter records(String columns) {
		return new RecordWriter(environment().out(), this.format, columns);
	}

}
