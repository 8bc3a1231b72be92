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

	/**
	 * Keys above this many bytes do not fit into the topic of a notification; less do for
	 * clients with long ids, see {@link #isObservable}.
	 */
	public static final int MAX_OBSERVABLE_KEY_LENGTH = 32_700;

	private static final int MAX_TOPIC_LENGTH = 65_535;

	private static final String NOTIFY = "/command/notify/";

	private Topics() {
	}

	/**
	 * The response topic of our own clients.
	 * @throws IllegalArgumentException if a server could not answer there, because of
	 * what the client id contains
	 */
	public static String response(String clientId) {
		String topic = "clients/" + clientId + "/services/statestore/_any_/command/invoke/response";
		if (!isResponseTopicAllowed(topic)) {
			throw new IllegalArgumentException("The client id must not contain '+', '#' or NUL, nor begin with "
					+ "the topic of the state store: replies come on a topic that contains it. Choose another one");
		}
		return topic;
	}

	/**
	 * Whether a server may answer on this topic: it is a topic (not empty, no wildcard,
	 * no NUL), and neither the request topic nor one of the server's own.
	 */
	public static boolean isResponseTopicAllowed(String topic) {
		return !topic.isEmpty() && !topic.equals(REQUEST) && !topic.startsWith(RESERVED_PREFIX)
				&& topic.indexOf('+') < 0 && topic.indexOf('#') < 0 && topic.indexOf('\0') < 0;
	}

	/** The topic on which one client is told about one key. */
	public static String notification(String clientId, Bytes key) {
		return notificationPrefix(clientId) + key.toHex();
	}

	/** Whether the notifications of a key fit into a topic. */
	public static boolean isObservable(String clientId, Bytes key) {
		return key.length() <= MAX_OBSERVABLE_KEY_LENGTH && RESERVED_PREFIX.length() + 1
				+ 2L * Bytes.of(clientId).length() + NOTIFY.length() + 2L * key.length() <= MAX_TOPIC_LENGTH;
	}

	/** What a client subscribes to for the notifications of all its keys. */
	public static String notificationFilter(String clientId) {
		return notificationPrefix(clientId) + '+';
	}

	/**
	 * The key a notification is about. The part of the client has to be exactly as
	 * {@link #notification} writes it; the key may be hexadecimal of either case.
	 * @return the key, or {@code null} if this is not a notification for the client
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
