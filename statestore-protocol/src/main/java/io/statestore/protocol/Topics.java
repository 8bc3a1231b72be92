package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/** MQTT topics of the state store (protocol sections 1 and 6). */
public final class Topics {

	private static final String STORE = "statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8";

	/** Topic of all requests. */
	public static final String REQUEST = STORE + "/command/invoke";

	/**
	 * Prefix of the topics of notifications. Clients must not publish to them or use them
	 * as response topics.
	 */
	public static final String RESERVED_PREFIX = "clients/" + STORE;

	/**
	 * Maximum size of an observable key in bytes, because the topic of a notification
	 * contains the key. Lower for clients with long ids; see {@link #isObservable}.
	 */
	public static final int MAX_OBSERVABLE_KEY_LENGTH = 32_700;

	private static final int MAX_TOPIC_LENGTH = 65_535;

	private static final String NOTIFY = "/command/notify/";

	private Topics() {
	}

	/**
	 * Returns the response topic that our clients use.
	 * @param clientId the MQTT client id
	 * @return the topic
	 * @throws IllegalArgumentException if the client id makes it an invalid response topic
	 */
	public static String response(String clientId) {
		String topic = "clients/" + clientId + "/services/statestore/_any_/command/invoke/response";
		if (!isResponseTopicAllowed(topic)) {
			throw new IllegalArgumentException("The client id must not contain '+', '#', or NUL, and must not begin "
					+ "with the topic of the state store, because it is part of the response topic, but is '"
					+ clientId + "'");
		}
		return topic;
	}

	/**
	 * Returns whether a server may send replies to a topic. The topic must be valid (not
	 * empty, no wildcard, no NUL), and must be neither the request topic nor a topic of
	 * notifications.
	 * @param topic the response topic of a request
	 * @return whether it is allowed
	 */
	public static boolean isResponseTopicAllowed(String topic) {
		return !topic.isEmpty() && !topic.equals(REQUEST) && !topic.startsWith(RESERVED_PREFIX)
				&& topic.indexOf('+') < 0 && topic.indexOf('#') < 0 && topic.indexOf('\0') < 0;
	}

	/**
	 * Returns the topic of the notifications of one key for one client.
	 * @param clientId the MQTT client id of the observer
	 * @param key the key
	 * @return the topic
	 */
	public static String notification(String clientId, Bytes key) {
		return notificationPrefix(clientId) + key.toHex();
	}

	/**
	 * Returns whether a key is short enough for the topic of its notifications.
	 * @param clientId the MQTT client id of the observer
	 * @param key the key
	 * @return whether the client can observe the key
	 */
	public static boolean isObservable(String clientId, Bytes key) {
		return key.length() <= MAX_OBSERVABLE_KEY_LENGTH && RESERVED_PREFIX.length() + 1
				+ 2L * Bytes.of(clientId).length() + NOTIFY.length() + 2L * key.length() <= MAX_TOPIC_LENGTH;
	}

	/**
	 * Returns the topic filter for the notifications of all keys for one client.
	 * @param clientId the MQTT client id of the observer
	 * @return the filter
	 */
	public static String notificationFilter(String clientId) {
		return notificationPrefix(clientId) + '+';
	}

	/**
	 * Returns the key in the topic of a notification. The key may have hexadecimal digits
	 * of either case; the rest must be as {@link #notification} returns it.
	 * @param clientId the MQTT client id of the observer
	 * @param topic the topic of a message
	 * @return the key, {@code null} if the message is not a notification for the client
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
