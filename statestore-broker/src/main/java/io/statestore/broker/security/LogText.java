package io.statestore.broker.security;

import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Prepares text from clients and failure reasons for log entries.
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

	/**
	 * Returns the reason for a failure.
	 * @param failure the failure, with its causes
	 * @return the message of its innermost cause, or that cause's type if it has no
	 * message
	 */
	public static String reason(Throwable failure) {
		Throwable root = failure;
		while (root.getCause() != null) {
			root = root.getCause();
		}
		return (root.getMessage() != null) ? root.getMessage() : root.toString();
	}

	/**
	 * Returns whether a failure or one of its causes has a type.
	 * @param failure the failure, with its causes
	 * @param type the type to look for
	 * @return whether the failure or a cause is an instance of the type
	 */
	public static boolean hasCause(Throwable failure, Class<? extends Throwable> type) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).anyMatch(type::isInstance);
	}

}
