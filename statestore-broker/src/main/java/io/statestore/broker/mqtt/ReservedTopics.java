package io.statestore.broker.mqtt;

import io.statestore.protocol.Topics;

/** Topics on which clients must not publish ordinary messages. */
final class ReservedTopics {

	/**
	 * Makes Artemis 2.43 take the dots of a topic for its own separators, and so for the
	 * slashes of another topic.
	 */
	private static final String ESCAPED_SEPARATOR = "\\/";

	/** Separates an address from the name of a queue in Artemis. */
	private static final String QUEUE_SEPARATOR = "::";

	private ReservedTopics() {
	}

	/**
	 * Whether a topic belongs to the state store, or to the broker, as all do that begin
	 * with {@code $} (MQTT 5 section 4.7.2), or may mean another one to it.
	 */
	static boolean contain(String topic) {
		return topic.startsWith(Topics.RESERVED_PREFIX) || topic.startsWith("$") || areAmbiguous(topic);
	}

	/** Returns whether Artemis may take a topic or a filter for another one. */
	static boolean areAmbiguous(String topic) {
		return topic.contains(ESCAPED_SEPARATOR) || nameQueue(topic);
	}

	/**
	 * Returns whether a topic, a filter, or a client id names a queue of Artemis, which
	 * may belong to another client.
	 */
	static boolean nameQueue(String name) {
		return name.contains(QUEUE_SEPARATOR);
	}

	/** Like {@link #contain}, for the topic of a will, which was not checked before. */
	static boolean containWill(String topic) {
		return contain(topic) || topic.equals(Topics.REQUEST) || TopicFilter.hasWildcard(topic);
	}

}
