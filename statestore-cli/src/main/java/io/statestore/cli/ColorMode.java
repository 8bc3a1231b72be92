package io.statestore.cli;

import picocli.CommandLine.Help.Ansi;

/** When to use colors. */
enum ColorMode {

	/** On a terminal, unless the environment variable NO_COLOR is set. */
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
	 * Returns a text in a color, or without one.
	 * @param color name of the color in markup of picocli
	 */
	String paint(String color, String text) {
		return this.ansi.string("@|" + color + ' ' + text + "|@");
	}

}
