package io.statestore.broker.security;

import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A topic filter of a rule, by its levels (MQTT 5 section 4.7).
 *
 * @param levels the levels, of which {@code +} and a final {@code #} are wildcards
 */
record TopicPattern(List<String> levels) {

	private static final String ONE = "+";

	private static final String REST = "#";

	private static final String SHARED = "$share/";

	TopicPattern {
		levels = List.copyOf(levels);
	}

	/**
	 * Parses a filter.
	 * @throws IllegalArgumentException if it is invalid
	 */
	static TopicPattern of(String filter) {
		if (filter.isEmpty()) {
			throw new IllegalArgumentException("the topic filter is empty. Write # for all topics");
		}
		if (filter.startsWith(SHARED)) {
			throw new IllegalArgumentException("the topic filter begins with $share. Write it without $share/NAME/");
		}
		List<String> levels = levels(filter);
		if (!isValid(levels)) {
			throw new IllegalArgumentException("the topic filter '" + filter
					+ "' is invalid. + and # must take an entire level, and # must be the last one");
		}
		return new TopicPattern(levels);
	}

	/**
	 * Returns the filter of a rule for a client.
	 * @return the filter, or {@code null} if it matches no topic
	 */
	static @Nullable TopicPattern of(Template template, Client client) {
		boolean first = template.parts().get(0) instanceof Template.Placeholder;
		String filter = template.expand(client, (value) -> isLiteral(value) ? value : null);
		// A value must not turn a topic into one of the broker.
		if (filter == null || Template.isTooLong(filter)) {
			return null;
		}
		return (first && filter.startsWith("$")) ? null : new TopicPattern(levels(filter));
	}

	/** Returns whether a value is part of a single level, and has no wildcard. */
	private static boolean isLiteral(String value) {
		return value.chars().noneMatch((character) -> "/+#\0".indexOf(character) >= 0);
	}

	static List<String> levels(String filter) {
		return Arrays.asList(filter.split("/", -1));
	}

	/** Returns whether wildcards take entire levels, and a {@code #} is the last one. */
	static boolean isValid(List<String> levels) {
		for (int i = 0; i < levels.size(); i++) {
			String level = levels.get(i);
			boolean wildcard = level.indexOf('+') >= 0 || level.indexOf('#') >= 0;
			if (wildcard && (level.length() > 1 || (isRest(level) && i < levels.size() - 1))) {
				return false;
			}
		}
		return true;
	}

	static boolean isOne(String level) {
		return level.equals(ONE);
	}

	static boolean isRest(String level) {
		return level.equals(REST);
	}

	/**
	 * Returns whether this filter matches a topic.
	 * @param topic the levels of the topic. {@code null} is a level that occurs in no
	 * filter
	 */
	boolean matches(List<@Nullable String> topic) {
		String start = topic.get(0);
		boolean reserved = start != null && start.startsWith("$");
		for (int i = 0; i < this.levels.size(); i++) {
			String level = this.levels.get(i);
			boolean wildcard = isOne(level) || isRest(level);
			if (i == 0 && wildcard && reserved) {
				return false;
			}
			if (isRest(level)) {
				return true;
			}
			if (i == topic.size() || (!wildcard && !level.equals(topic.get(i)))) {
				return false;
			}
		}
		return this.levels.size() == topic.size();
	}

}
