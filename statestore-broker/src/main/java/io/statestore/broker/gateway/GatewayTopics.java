package io.statestore.broker.gateway;

import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.protocol.Topics;

/**
 * Topics of messages that the gateway retains on the broker for its successor after a
 * restart. The topics begin with a prefix that response topics must not have.
 */
final class GatewayTopics {

	private static final String PREFIX = Topics.RESERVED_PREFIX + "/gateway/";

	/** Topic of the {@link GatewayStatus}. */
	static final String STATUS = PREFIX + "status";

	/**
	 * Number of pages that one subscription delivers. Brokers limit how many messages
	 * they queue for a client; Mosquitto's default is 1000.
	 */
	static final int PAGES_PER_GROUP = 500;

	private static final String OBSERVERS = PREFIX + "observers/";

	private static final Pattern PAGE = Pattern.compile(Pattern.quote(OBSERVERS) + "(\\d{1,4})/(\\d{1,3})");

	private GatewayTopics() {
	}

	/** Returns the topic of a page of watches. */
	static String page(int number) {
		return OBSERVERS + number / PAGES_PER_GROUP + '/' + number % PAGES_PER_GROUP;
	}

	/** Returns the topic filter for a group's pages. */
	static String group(int group) {
		return OBSERVERS + group + "/+";
	}

	/** Returns the page number in a topic, -1 if it is not the topic of a page. */
	static int pageNumber(String topic) {
		Matcher page = PAGE.matcher(topic);
		if (!page.matches()) {
			return -1;
		}
		int number = Integer.parseInt(page.group(1)) * PAGES_PER_GROUP + Integer.parseInt(page.group(2));
		return page(number).equals(topic) ? number : -1;
	}

	/** Returns a topic that has no subscriber. */
	static String unused() {
		return PREFIX + "probe/" + UUID.randomUUID();
	}

}
