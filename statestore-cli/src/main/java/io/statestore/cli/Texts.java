package io.statestore.cli;

/**
 * Texts for a terminal. Keys, values, and names of clients come from other programs, and
 * their control characters could change the terminal.
 */
final class Texts {

	private static final char REPLACEMENT = '\uFFFD';

	private Texts() {
	}

	/**
	 * Returns a text whose control characters are replaced, except line breaks and tabs.
	 */
	static String printable(String text) {
		StringBuilder printable = new StringBuilder(text.length());
		text.codePoints()
			.forEach((character) -> printable.appendCodePoint(
					(character != '\n' && character != '\t' && isControl(character)) ? REPLACEMENT : character));
		return printable.toString();
	}

	/** Returns a printable text, with line breaks and tabs as in a Java string. */
	static String onOneLine(String text) {
		return printable(text).replace("\n", "\\n").replace("\t", "\\t");
	}

	/** Returns whether a character may change a terminal, or has no shape. */
	static boolean isControl(int character) {
		return switch (Character.getType(character)) {
			case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED,
					Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
				true;
			default -> false;
		};
	}

}
