package io.statestore.broker.security;

import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.statestore.protocol.GlobPattern;
import org.jspecify.annotations.Nullable;

/**
 * A pattern in a rules file, with placeholders for a client's values.
 *
 * @param pattern the pattern as written in the file. Two opening braces represent a
 * literal brace
 */
record Template(String pattern) {

	static final String CLIENT_ID = "{clientId}";

	static final String USERNAME = "{username}";

	private static final String BRACE = "{{";

	private static final Pattern SPECIAL = Pattern.compile("\\{\\{|\\{[^}]*}?");

	/**
	 * Checks the placeholders.
	 * @throws IllegalArgumentException if a placeholder is unknown
	 */
	Template {
		special(pattern).filter((text) -> !Set.of(CLIENT_ID, USERNAME, BRACE).contains(text))
			.findFirst()
			.ifPresent((unknown) -> {
				throw new IllegalArgumentException("unknown placeholder '" + unknown
						+ "'. Use {clientId} or {username}, or write {{ for an opening brace");
			});
	}

	private static Stream<String> special(String pattern) {
		return SPECIAL.matcher(pattern).results().map(MatchResult::group);
	}

	/**
	 * Returns whether a pattern with a client's values filled in is too long, so that it
	 * must not match anything. Each connection has its own copy of such patterns, which
	 * must remain small.
	 */
	static boolean isTooLong(String pattern) {
		return pattern.length() > GlobPattern.MAX_LENGTH;
	}

	/** Returns whether the pattern has the given placeholder. */
	boolean uses(String placeholder) {
		return special(this.pattern).anyMatch(placeholder::equals);
	}

	/** Returns whether the pattern is the same for all clients. */
	boolean isConstant() {
		return special(this.pattern).allMatch(BRACE::equals);
	}

	/** Returns whether the pattern begins with a placeholder. */
	boolean beginsWithPlaceholder() {
		return this.pattern.startsWith("{") && !this.pattern.startsWith(BRACE);
	}

	/**
	 * Returns the pattern with a client's values filled in.
	 * @param literal escapes a placeholder's value so that it matches literally. Returns
	 * {@code null} for a value that must never match
	 * @return the pattern, or {@code null} if the client has no value for a placeholder
	 * or a value that must never match
	 */
	@Nullable String expand(Client client, Function<String, @Nullable String> literal) {
		StringBuilder expanded = new StringBuilder();
		Matcher matcher = SPECIAL.matcher(this.pattern);
		while (matcher.find()) {
			String value = switch (matcher.group()) {
				case CLIENT_ID -> client.clientId();
				case USERNAME -> client.principal().name();
				default -> null;
			};
			String text = (value == null) ? "{" : (!value.isEmpty()) ? literal.apply(value) : null;
			if (text == null) {
				return null;
			}
			matcher.appendReplacement(expanded, Matcher.quoteReplacement(text));
		}
		return matcher.appendTail(expanded).toString();
	}

}
