package io.statestore.broker.mqtt;

import io.statestore.protocol.TopicFilter;
import io.statestore.protocol.Administration;
import io.statestore.protocol.Topics;

/** Topics on which clients must not publish ordinary messages. */
final class ReservedTopics {

	private ReservedTopics() {
	}

	/**
	 * Returns whether a topic is reserved for the state store, or for the broker (all
	 * topics with a leading {@code $}, MQTT 5 section 4.7.2).
	 * @param topic topic of a message
	 */
	static boolean contain(String topic) {
		return topic.startsWith(Topics.RESERVED_PREFIX) || topic.startsWith("$");
	}

	/**
	 * Returns whether a topic is one of requests to the state store.
	 * @param topic topic of a message
	 */
	static boolean isRequest(String topic) {
		return topic.equals(Topics.REQUEST) || topic.equals(Administration.REQUEST_TOPIC);
	}

	/**
	 * Returns whether the topic of a will is reserved or invalid. Unlike other topics,
	 * the codec has not checked it.
	 * @param topic topic of a will
	 */
	static boolean containWill(String topic) {
		return contain(topic) || isRequest(topic) || TopicFilter.hasWildcard(topic);
	}

}
