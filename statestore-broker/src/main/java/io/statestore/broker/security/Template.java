package io.statestore.broker.security;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.statestore.protocol.GlobPattern;
import org.jspecify.annotations.Nullable;

/**
 * The pattern of a rule, with the placeholders <code>{clientId}</code> and
 * <code>{username}</code>.
 *
 * @param parts texts and placeholders in their order
 */
record Template(List<Part> parts) {

	Template {
		parts = List.copyOf(parts);
	}

	/**
	 * Parses a pattern. Two opening braces stand for one.
	 * @throws IllegalArgumentException if it has an unknown placeholder
	 */
	static Template of(String pattern) {
		List<Part> parts = new ArrayList<>();
		StringBuilder text = new StringBuilder();
		int i = 0;
		while (i < pattern.length()) {
			if (pattern.charAt(i) != '{' || pattern.startsWith("{{", i)) {
				text.append(pattern.charAt(i));
				i += (pattern.charAt(i) == '{') ? 2 : 1;
				continue;
			}
			Placeholder placeholder = Placeholder.at(pattern, i);
			if (!text.isEmpty()) {
				parts.add(new Text(text.toString()));
				text.setLength(0);
			}
			parts.add(placeholder);
			i += placeholder.text.length();
		}
		if (!text.isEmpty()) {
			parts.add(new Text(text.toString()));
		}
		return new Template(parts);
	}

	/**
	 * Returns whether a pattern with the values of a client is so long that it matches
	 * nothing. Each connection has its own such patterns, which must remain small.
	 */
	static boolean isTooLong(String pattern) {
		return pattern.length() > GlobPattern.MAX_LENGTH;
	}

	/** Returns whether the pattern has a placeholder. */
	boolean uses(Placeholder placeholder) {
		return this.parts.contains(placeholder);
	}

	/** Returns whether the pattern is the same for all clients. */
	boolean isConstant() {
		return this.parts.stream().allMatch(Text.class::isInstance);
	}

	/**
	 * Returns the pattern for a client.
	 * @param literal makes the value of a placeholder literal. Returns {@code null} for a
	 * value that must never match
	 * @return the pattern, or {@code null} if the client has no value for a placeholder,
	 * or one that must never match
	 */
	@Nullable String expand(Client client, Function<String, @Nullable String> literal) {
		StringBuilder pattern = new StringBuilder();
		for (Part part : this.parts) {
			String text = (part instanceof Placeholder placeholder) ? placeholder.valueOf(client)
					: ((Text) part).text();
			String added = (part instanceof Text) ? text : (!text.isEmpty()) ? literal.apply(text) : null;
			if (added == null) {
				return null;
			}
			pattern.append(added);
		}
		return pattern.toString();
	}

	/** Part of a pattern. */
	sealed interface Part {

	}

	/**
	 * A part that is the same for all clients.
	 *
	 * @param text the text
	 */
	record Text(String text) implements Part {
	}

	/** A part that differs between clients. */
	enum Placeholder implements Part {

		CLIENT_ID("{clientId}"), USERNAME("{username}");

		private final String text;

		Placeholder(String text) {
			this.text = text;
		}

		private static Placeholder at(String pattern, int index) {
			for (Placeholder placeholder : values()) {
				if (pattern.startsWith(placeholder.text, index)) {
					return placeholder;
				}
			}
			int end = pattern.indexOf('}', index);
			String unknown = pattern.substring(index, (end < 0) ? pattern.length() : end + 1);
			throw new IllegalArgumentException("unknown placeholder '" + unknown
					+ "'. Use {clientId} or {username}, or write {{ for an opening brace");
		}

		private String valueOf(Client client) {
			return (this == CLIENT_ID) ? client.clientId() : client.principal().name();
		}

	}

}
