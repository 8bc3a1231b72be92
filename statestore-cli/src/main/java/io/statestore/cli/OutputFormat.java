package io.statestore.cli;

/** Formats of the results on standard output. */
enum OutputFormat {

	/** Columns for people. */
	TABLE,

	/** One JSON object per line for each result. */
	JSON,

	/** The plain values: the bytes of a value, or columns separated by tabs. */
	RAW

}
