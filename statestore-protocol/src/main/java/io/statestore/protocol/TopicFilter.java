package io.statestore.protocol;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Validates and matches MQTT topic filters, including those of shared subscriptions (MQTT
 * 5 sections 4.7 and 4.8.2).
 * <p>
 * Internal: not part of the API.
 */
public final class TopicFilter {

	/** Beginning of a shared subscription's filter. */
	public static final String SHARED = "$share/";

	/** Maximum length of an MQTT string, in bytes. */
	private static final int MAX_LENGTH = 65_535;

	private TopicFilter() {
	}

	/**
	 * Returns the rule that a filter violates, if any.
	 * @param filter a topic filter, which may be shared
	 * @return a clause such as "a wildcard must occupy an entire level", or {@code null}
	 * if the filter is valid
	 */
	public static @Nullable String problem(String filter) {
		int length = filter.getBytes(StandardCharsets.UTF_8).length;
		if (length == 0 || length > MAX_LENGTH) {
			return "it must have 1 to " + MAX_LENGTH + " bytes, but has " + length;
		}
		if (filter.indexOf('\0') >= 0) {
			return "it must not contain U+0000";
		}
		int start = start(filter);
		if (filter.startsWith(SHARED) && (start <= SHARED.length() + 1 || start == filter.length()
				|| hasWildcard(filter.substring(SHARED.length(), start)))) {
			return "a shared subscription must have the form $share/<group>/<filter>";
		}
		String[] levels = filter.substring(start).split("/", -1);
		for (int i = 0; i < levels.length; i++) {
			if (hasWildcard(levels[i]) && levels[i].length() > 1) {
				return "a wildcard must occupy an entire level";
			}
			if (levels[i].equals("#") && i < levels.length - 1) {
				return "'#' must be the last level";
			}
		}
		return null;
	}

	/**
	 * Returns whether a filter is valid.
	 * @param filter a topic filter, which may be shared
	 * @return whether it violates no rule
	 */
	public static boolean isValid(String filter) {
		return problem(filter) == null;
	}

	/**
	 * Returns a filter without the prefix of a shared subscription.
	 * @param filter a topic filter, which may be shared
	 * @return the filter without {@code $share/{name}/}
	 */
	public static String withoutShare(String filter) {
		return filter.substring(start(filter));
	}

	/**
	 * Returns the index after the prefix of a shared subscription, 0 if there is none.
	 */
	private static int start(String filter) {
		return filter.startsWith(SHARED) ? filter.indexOf('/', SHARED.length()) + 1 : 0;
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
	 * @param filter a valid topic filter, which may be shared
	 * @param topic a topic, which must not contain wildcards
	 * @return whether it matches
	 */
	public static boolean matches(String filter, String topic) {
		int f = start(filter);
		int t = 0;
		// Wildcards in the first level do not match the broker's own topics.
		if (topic.startsWith("$") && (filter.startsWith("+", f) || filter.startsWith("#", f))) {
			return false;
		}
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
				// The filter a/# also matches topic a.
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
