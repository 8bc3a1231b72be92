package io.statestore.cli;

/**
 * Prepares strings for a terminal. Keys, values, and client names come from other
 * programs, and their control characters could affect the terminal.
 */
final class Texts {

	private static final char REPLACEMENT = '\uFFFD';

	private Texts() {
	}

	/**
	 * Returns a string with control characters replaced, except line breaks and tabs.
	 */
	static String printable(String text) {
		StringBuilder printable = new StringBuilder(text.length());
		text.codePoints()
			.forEach((character) -> printable.appendCodePoint(
					(character != '\n' && character != '\t' && isControl(character)) ? REPLACEMENT : character));
		return printable.toString();
	}

	/**
	 * Returns a printable string, with line breaks and tabs escaped as in a Java string.
	 */
	static String onOneLine(String text) {
		return printable(text).replace("\n", "\\n").replace("\t", "\\t");
	}

	/** Returns whether a character may affect a terminal or is invisible. */
	static boolean isControl(int character) {
		return switch (Character.getType(character)) {
			case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED,
					Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
				true;
			default -> false;
		};
	}

}
