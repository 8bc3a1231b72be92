package io.statestore.broker.mqtt;

/** Matching of MQTT topic filters (MQTT 5 section 4.7). */
final class TopicFilter {

	private TopicFilter() {
	}

	static boolean hasWildcard(String filter) {
		return filter.indexOf('+') >= 0 || filter.indexOf('#') >= 0;
	}

	/** Whether a topic without wildcards is matched by a filter. */
	static boolean matches(String filter, String topic) {
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
				// a/# also stands for a
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
