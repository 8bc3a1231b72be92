package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/** The state store's MQTT topics (protocol sections 1 and 6). */
public final class Topics {

	private static final String STORE = "statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8";

	/** Topic for all requests. */
	public static final String REQUEST = STORE + "/command/invoke";

	/**
	 * Prefix of topics to which only the server may publish. Response topics must not
	 * start with it.
	 */
	public static final String RESERVED_PREFIX = "clients/" + STORE;

	/**
	 * Maximum length of a watchable key, in bytes. Longer keys do not fit into a
	 * notification topic. Long client ids lower this limit, see {@link #isWatchable}.
	 */
	public static final int MAX_WATCHABLE_KEY_LENGTH = 32_700;

	/** Maximum number of levels in a topic or topic filter that a server accepts. */
	public static final int MAX_LEVELS = 128;

	private static final int MAX_TOPIC_LENGTH = 65_535;

	private static final String NOTIFY = "/command/notify/";

	private Topics() {
	}

	/**
	 * Returns the response topic for one of this library's clients.
	 * @param clientId the MQTT client id
	 * @return the response topic
	 * @throws IllegalArgumentException if the client id contains a character that is not
	 * allowed in a topic, or the topic would be reserved
	 */
	public static String response(String clientId) {
		String topic = "clients/" + clientId + "/services/statestore/_any_/command/invoke/response";
		if (!isResponseTopicAllowed(topic)) {
			throw new IllegalArgumentException("The client id '" + clientId
					+ "' must not contain '+', '#' or NUL, start with the topic of the state store, or have "
					+ "more than 120 slashes, because the response topic contains it. Choose another client id");
		}
		return topic;
	}

	/**
	 * Returns whether a topic has more than {@value #MAX_LEVELS} levels.
	 * @param topic a topic, valid or not
	 * @return whether a server refuses it
	 */
	public static boolean isTooDeep(String topic) {
		return topic.length() >= MAX_LEVELS
				&& topic.chars().filter((character) -> character == '/').count() >= MAX_LEVELS;
	}

	/**
	 * Returns whether a topic filter has more than {@value #MAX_LEVELS} levels, not
	 * counting the prefix of a shared subscription.
	 * @param filter a topic filter, valid or not
	 * @return whether a server refuses it
	 */
	public static boolean isFilterTooDeep(String filter) {
		return isTooDeep(TopicFilter.withoutShare(filter));
	}

	/**
	 * Returns whether a server may reply to a topic. The topic must be valid (not empty,
	 * no wildcards, no NUL, at most {@value #MAX_LEVELS} levels), and must be neither a
	 * request topic nor reserved.
	 * @param topic the response topic in a request
	 * @return whether a reply may be published there
	 */
	public static boolean isResponseTopicAllowed(String topic) {
		return !topic.isEmpty() && !topic.equals(REQUEST) && !topic.equals(Administration.REQUEST_TOPIC)
				&& !topic.startsWith(RESERVED_PREFIX) && topic.indexOf('+') < 0 && topic.indexOf('#') < 0
				&& topic.indexOf('\0') < 0 && !isTooDeep(topic);
	}

	/**
	 * Returns the topic on which a client receives notifications for a key.
	 * @param clientId the watcher's MQTT client id
	 * @param key the watched key
	 * @return the notification topic
	 */
	public static String notification(String clientId, Bytes key) {
		return notificationPrefix(clientId) + key.toHex();
	}

	/**
	 * Returns whether notifications for a key fit into a topic.
	 * @param clientId the watcher's MQTT client id
	 * @param key the key to watch
	 * @return whether the client can watch the key
	 */
	public static boolean isWatchable(String clientId, Bytes key) {
		return key.length() <= MAX_WATCHABLE_KEY_LENGTH && RESERVED_PREFIX.length() + 1
				+ 2L * Bytes.of(clientId).length() + NOTIFY.length() + 2L * key.length() <= MAX_TOPIC_LENGTH;
	}

	/**
	 * Returns the topic filter for a client's notifications for all keys.
	 * @param clientId the watcher's MQTT client id
	 * @return a filter that ends with a wildcard
	 */
	public static String notificationFilter(String clientId) {
		return notificationPrefix(clientId) + '+';
	}

	/**
	 * Returns the key that a notification topic refers to. The client id in the topic
	 * must be as written by {@link #notification}. The key's hexadecimal digits may be in
	 * upper or lower case.
	 * @param clientId the watcher's MQTT client id
	 * @param topic the topic of the message
	 * @return the key, or {@code null} if this is not a notification topic for this
	 * client
	 */
	public static @Nullable Bytes notifiedKey(String clientId, String topic) {
		String prefix = notificationPrefix(clientId);
		if (!topic.startsWith(prefix) || topic.length() == prefix.length()) {
			return null;
		}
		try {
			return Bytes.ofHex(topic.substring(prefix.length()));
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static String notificationPrefix(String clientId) {
		return RESERVED_PREFIX + '/' + Bytes.of(clientId).toHex() + NOTIFY;
	}

}
