package io.statestore.broker.packet;

/**
 * Validity and matching of MQTT topic filters (MQTT 5 sections 4.7 and 4.8.2).
 * <p>
 * Internal: not part of the API.
 */
public final class TopicFilter {

	/** Beginning of a filter that subscribers share. */
	public static final String SHARED = "$share/";

	/**
	 * Maximum length of the name of a shared subscription, which is a part of each
	 * message that the log keeps for it.
	 */
	private static final int MAX_GROUP_NAME = 256;

	private TopicFilter() {
	}

	/**
	 * Returns whether a filter is valid.
	 * @param filter a topic filter, which may be shared
	 * @return whether it is valid
	 */
	public static boolean isValid(String filter) {
		String rest = withoutShare(filter);
		if (filter.startsWith(SHARED)) {
			int end = filter.length() - rest.length() - 1;
			if (end <= SHARED.length() || end > SHARED.length() + MAX_GROUP_NAME
					|| hasWildcard(filter.substring(SHARED.length(), end))) {
				return false;
			}
		}
		if (rest.isEmpty() || rest.indexOf('\0') >= 0) {
			return false;
		}
		String[] levels = rest.split("/", -1);
		for (int i = 0; i < levels.length; i++) {
			if (hasWildcard(levels[i]) && (levels[i].length() > 1 || levels[i].equals("#") && i < levels.length - 1)) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Returns a filter without the name of its group.
	 * @param filter a topic filter, which may be shared
	 * @return the filter without {@code $share/{name}/}
	 */
	public static String withoutShare(String filter) {
		int end = filter.startsWith(SHARED) ? filter.indexOf('/', SHARED.length()) : -1;
		return (end < 0) ? filter : filter.substring(end + 1);
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
