package io.statestore.cli;

import picocli.CommandLine.Help.Ansi;

/** When to use colors. */
enum ColorMode {

	/** On a terminal, unless the NO_COLOR environment variable is set. */
	AUTO(Ansi.AUTO),

	/** Always. */
	ALWAYS(Ansi.ON),

	/** Never. */
	NEVER(Ansi.OFF);

	private final Ansi ansi;

	ColorMode(Ansi ansi) {
		this.ansi = ansi;
	}

	/**
	 * Colors a string if this mode says so.
	 * @param color color name in picocli's markup
	 */
	String paint(String color, String text) {
		return this.ansi.string("@|" + color + ' ' + text + "|@");
	}

}
