package io.statestore.broker.security;

import io.statestore.protocol.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * A filter of topics.
 *
 * @param filter the topic filter (MQTT 5 section 4.7)
 * @param line the line of its rule
 */
record TopicRule(String filter, int line) {

	/**
	 * Checks the filter of a rule.
	 * @throws IllegalArgumentException if it is invalid
	 */
	static String requireValid(String filter) {
		if (filter.isEmpty()) {
			throw new IllegalArgumentException("the topic filter is empty. Write # for all topics");
		}
		if (filter.startsWith(TopicFilter.SHARED)) {
			throw new IllegalArgumentException("the topic filter begins with $share. Write it without $share/NAME/");
		}
		if (!TopicFilter.isValid(filter)) {
			throw new IllegalArgumentException("the topic filter '" + filter
					+ "' is invalid. + and # must take an entire level, and # must be the last one");
		}
		return filter;
	}

	/**
	 * Returns the filter of a rule for a client.
	 * @return the filter, or {@code null} if it matches no topic
	 */
	static @Nullable String filterFor(Template template, Client client) {
		boolean first = template.parts().get(0) instanceof Template.Placeholder;
		String filter = template.expand(client, (value) -> isLiteral(value) ? value : null);
		// A value must not turn a topic into one of the broker.
		return (filter == null || Template.isTooLong(filter) || (first && filter.startsWith("$"))) ? null : filter;
	}

	/** Returns whether a value is part of a single level, and has no wildcard. */
	private static boolean isLiteral(String value) {
		return value.chars().noneMatch((character) -> "/+#\0".indexOf(character) >= 0);
	}

}
