package io.statestore.broker.packet;

/**
 * Matching of MQTT topic filters (MQTT 5 section 4.7).
 * <p>
 * Internal: not part of the API.
 */
public final class TopicFilter {

	private TopicFilter() {
	}

	/**
	 * Returns whether a filter contains a wildcard.
	 * @param filter a topic filter
	 * @return whether it contains {@code +} or {@code #}
	 */
	public static boolean hasWildcard(String filter) {
		return filter.indexOf('+') >= 0 || filter.indexOf('#') >= 0;
	}

	/**
	 * Returns whether a filter matches a topic.
	 * @param filter a valid topic filter, not empty
	 * @param topic a topic, which contains no wildcards
	 * @return whether it matches
	 */
	public static boolean matches(String filter, String topic) {
		char first = filter.charAt(0);
		if ((first == '+' || first == '#') && topic.startsWith("$")) {
			return false;
		}
		int f = 0;
		int t = 0;
		while (true) {
			int filterEnd = levelEnd(filter, f);
			if (isLevel(filter, f, filterEnd, '#')) {
				return true;
			}
			int topicEnd = levelEnd(topic, t);
			boolean any = isLevel(filter, f, filterEnd, '+');
			if (!any && (filterEnd - f != topicEnd - t || !filter.regionMatches(f, topic, t, topicEnd - t))) {
				return false;
			}
			boolean filterDone = filterEnd == filter.length();
			if (topicEnd == topic.length()) {
				// The filter a/# also matches the topic a.
				return filterDone || filter.substring(filterEnd).equals("/#");
			}
			if (filterDone) {
				return false;
			}
			f = filterEnd + 1;
			t = topicEnd + 1;
		}
	}

	private static int levelEnd(String text, int from) {
		int slash = text.indexOf('/', from);
		return (slash < 0) ? text.length() : slash;
	}

	private static boolean isLevel(String text, int from, int to, char wildcard) {
		return to - from == 1 && text.charAt(from) == wildcard;
	}

}
