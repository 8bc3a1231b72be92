package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/** The MQTT topics of the state store (protocol sections 1 and 6). */
public final class Topics {

	private static final String STORE = "statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8";

	/** Where every request goes. */
	public static final String REQUEST = STORE + "/command/invoke";

	/**
	 * What every topic of the server itself begins with: no client may publish there, and
	 * no response topic may begin so.
	 */
	public static final String RESERVED_PREFIX = "clients/" + STORE;

	/** Keys above this many bytes do not fit into the topic of a notification. */
	public static final int MAX_OBSERVABLE_KEY_LENGTH = 32_700;

	private static final int MAX_TOPIC_LENGTH = 65_535;

	private static final String NOTIFY = "/command/notify/";

	private Topics() {
	}

	/** The response topic of our own clients. */
	public static String response(String clientId) {
		return "clients/" + clientId + "/services/statestore/_any_/command/invoke/response";
	}

	/** Whether a server may answer on this topic. */
	public static boolean isResponseTopicAllowed(String topic) {
		return !topic.isEmpty() && !topic.equals(REQUEST) && !topic.startsWith(RESERVED_PREFIX)
				&& topic.indexOf('+') < 0 && topic.indexOf('#') < 0;
	}

	/** The topic on which one client is told about one key. */
	public static String notification(String clientId, Bytes key) {
		return RESERVED_PREFIX + '/' + Bytes.of(clientId).toHex() + NOTIFY + key.toHex();
	}

	/** Whether the notifications of a key fit into a topic. */
	public static boolean isObservable(String clientId, Bytes key) {
		return key.length() <= MAX_OBSERVABLE_KEY_LENGTH && RESERVED_PREFIX.length() + 1
				+ 2L * Bytes.of(clientId).length() + NOTIFY.length() + 2L * key.length() <= MAX_TOPIC_LENGTH;
	}

	/** What a client subscribes to for the notifications of all its keys. */
	public static String notificationFilter(String clientId) {
		return RESERVED_PREFIX + '/' + Bytes.of(clientId).toHex() + NOTIFY + '+';
	}

	/**
	 * The key a notification is about.
	 * @return the key, or {@code null} if this is not a notification for the client
	 */
	public static @Nullable Bytes notifiedKey(String clientId, String topic) {
		String prefix = RESERVED_PREFIX + '/' + Bytes.of(clientId).toHex() + NOTIFY;
		if (!topic.startsWith(prefix)) {
			return null;
		}
		try {
			return Bytes.ofHex(topic.substring(prefix.length()));
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

}
