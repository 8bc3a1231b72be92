package io.statestore.broker.security;

/**
 * Text from clients in log entries.
 * <p>
 * Internal: not part of the API.
 */
public final class LogText {

	private LogText() {
	}

	/**
	 * Replaces control characters, format characters, and line separators, with which a
	 * client could forge log entries.
	 * @param text text from a client
	 * @return a single line
	 */
	public static String escape(String text) {
		if (text.chars().noneMatch(LogText::isUnsafe)) {
			return text;
		}
		StringBuilder escaped = new StringBuilder(text.length() + 16);
		text.chars().forEach((character) -> {
			if (isUnsafe(character)) {
				escaped.append(String.format("\\u%04X", character));
			}
			else {
				escaped.append((char) character);
			}
		});
		return escaped.toString();
	}

	private static boolean isUnsafe(int character) {
		return switch (Character.getType(character)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
			default -> false;
		};
	}

}
