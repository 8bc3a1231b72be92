package io.statestore.cli;

import java.util.Locale;

/** Ways to show a value. */
enum ValueFormat {

	/** A JSON object or array. */
	JSON,

	/** Text in UTF-8. */
	TEXT,

	/** Bytes in hexadecimal. */
	HEX;

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}

}
