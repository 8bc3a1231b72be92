package io.statestore.cli;

import java.util.Map;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Option for the format of the results. */
final class OutputOptions {

	@Spec(Spec.Target.MIXEE)
	@SuppressWarnings("NullAway.Init")
	private CommandSpec command;

	@Option(names = { "-o", "--output" }, paramLabel = "<format>", defaultValue = "table",
			description = "Format of the output: table, json (one object per line), or raw (plain values) "
					+ "(default: ${DEFAULT-VALUE})")
	private OutputFormat format = OutputFormat.TABLE;

	OutputFormat format() {
		return this.format;
	}

	/**
	 * Prints one result: a line for each field, or a JSON object.
	 * @param fields names and values; see {@link Json#object} for the types
	 */
	void print(Map<String, ? extends @Nullable Object> fields) {
		Environment environment = Environment.of(this.command);
		switch (this.format) {
			case JSON -> environment.out().println(Json.object(fields));
			case RAW -> environment.out().println(RecordWriter.raw(fields.values()));
			case TABLE -> RecordWriter.printFields(environment.out(), fields);
		}
	}

	/**
	 * Returns a writer for several results with the same columns. Close it after the last
	 * one.
	 * @param columns names of the columns, as in JSON
	 */
	RecordWriter records(String... columns) {
		return new RecordWriter(Environment.of(this.command).out(), this.format, columns);
	}

}
