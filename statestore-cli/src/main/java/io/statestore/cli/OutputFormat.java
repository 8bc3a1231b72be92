package io.statestore.cli;

/** Formats for results on standard output. */
enum OutputFormat {

	/** Columns for people. */
	TABLE,

	/** One JSON object per line for each result. */
	JSON,

	/** Plain values: a value's bytes, or columns separated by tabs. */
	RAW

}
