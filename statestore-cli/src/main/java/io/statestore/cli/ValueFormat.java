package io.statestore.cli;

/** Ways to show a value. */
enum ValueFormat {

	/** A JSON object or array. */
	JSON,

	/** Text in UTF-8. */
	TEXT,

	/** Bytes in hexadecimal. */
	HEX

}
