package io.statestore.broker.security;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a line in a rules file into words, which are separated by spaces or tabs and may
 * be quoted.
 */
final class RuleTokens {

	private RuleTokens() {
	}

	/**
	 * Splits a line.
	 * @throws IllegalArgumentException if a quote is not closed, or a character is not
	 * allowed
	 */
	static List<String> of(String line) {
		List<String> tokens = new ArrayList<>();
		int i = 0;
		while (i < line.length()) {
			char character = line.charAt(i);
			if (character == ' ' || character == '\t') {
				i++;
			}
			else if (Character.isISOControl(character)) {
				throw new IllegalArgumentException(
						String.format("control character U+%04X. Remove it", (int) character));
			}
			else if (character == '"') {
				i = addQuoted(line, i + 1, tokens);
			}
			else {
				i = addWord(line, i, tokens);
			}
		}
		return tokens;
	}

	/** Returns a word as it must be written in a line, with quotes if necessary. */
	static String quote(String word) {
		boolean plain = !word.isEmpty() && word.chars().noneMatch((character) -> " \t\"".indexOf(character) >= 0);
		return plain ? word : '"' + word.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

	private static int addWord(String line, int start, List<String> tokens) {
		int end = start;
		while (end < line.length() && line.charAt(end) != ' ' && !Character.isISOControl(line.charAt(end))) {
			end++;
		}
		tokens.add(line.substring(start, end));
		return end;
	}

	private static int addQuoted(String line, int start, List<String> tokens) {
		StringBuilder token = new StringBuilder();
		int i = start;
		while (i < line.length() && line.charAt(i) != '"') {
			boolean escape = line.charAt(i) == '\\' && i + 1 < line.length();
			if (escape && "\"\\".indexOf(line.charAt(i + 1)) < 0) {
				throw new IllegalArgumentException("unknown escape '\\" + line.charAt(i + 1)
						+ "'. Within quotes, write \\\" for a quote and \\\\ for a backslash");
			}
			i += escape ? 1 : 0;
			token.append(line.charAt(i++));
		}
		if (i == line.length()) {
			throw new IllegalArgumentException("a quote is not closed. Add \" at its end");
		}
		if (i + 1 < line.length() && " \t".indexOf(line.charAt(i + 1)) < 0) {
			throw new IllegalArgumentException("text follows a closing quote. Separate it with a space");
		}
		tokens.add(token.toString());
		return i + 1;
	}

}
