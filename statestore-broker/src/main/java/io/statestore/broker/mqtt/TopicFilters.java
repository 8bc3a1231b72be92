package io.statestore.broker.mqtt;

import io.statestore.broker.packet.TopicFilter;

/** Validity of topic filters (MQTT 5 sections 4.7.1 and 4.8.2). */
final class TopicFilters {

	private static final String SHARED = "$share/";

	private TopicFilters() {
	}

	static boolean isValid(String filter) {
		String rest = filter;
		if (filter.startsWith(SHARED)) {
			int end = filter.indexOf('/', SHARED.length());
			if (end <= SHARED.length() || TopicFilter.hasWildcard(filter.substring(SHARED.length(), end))) {
				return false;
			}
			rest = filter.substring(end + 1);
		}
		if (rest.isEmpty() || rest.indexOf('\0') >= 0) {
			return false;
		}
		String[] levels = rest.split("/", -1);
		for (int i = 0; i < levels.length; i++) {
			if (TopicFilter.hasWildcard(levels[i])
					&& (levels[i].length() > 1 || levels[i].equals("#") && i < levels.length - 1)) {
				return false;
			}
		}
		return true;
	}

}
