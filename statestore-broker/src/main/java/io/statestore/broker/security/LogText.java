package io.statestore.broker.security;

import java.util.regex.Pattern;

/**
 * Text from clients in log entries.
 * <p>
 * Internal: not part of the API.
 */
public final class LogText {

	private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

	private LogText() {
	}

	/**
	 * Replaces control characters, format characters, and line separators, with which a
	 * client could forge log entries.
	 * @param text text from a client
	 * @return a single line
	 */
	public static String escape(String text) {
		return UNSAFE.matcher(text).replaceAll((unsafe) -> String.format("\\\\u%04X", unsafe.group().codePointAt(0)));
	}

}
