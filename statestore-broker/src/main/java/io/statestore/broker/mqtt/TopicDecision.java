package io.statestore.broker.mqtt;

import io.statestore.protocol.Administration;
import io.statestore.protocol.TopicFilter;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;

/**
 * A decision about a topic that the broker makes without consulting the rules.
 * <p>
 * Internal: not part of the API.
 *
 * @param permitted whether access is permitted
 * @param reason why, for display
 */
public record TopicDecision(boolean permitted, String reason) {

	/**
	 * Returns the decision about a subscription.
	 * @param clientId the client's id, empty for an unspecified client
	 * @param filter the topic filter, which may be shared
	 * @return the decision, or {@code null} if the rules decide
	 */
	public static @Nullable TopicDecision subscribe(String clientId, String filter) {
		boolean own = !clientId.isEmpty() && new OwnTopics(clientId).containFilter(filter);
		return own ? new TopicDecision(true,
				"a client may always subscribe to its own topics, for replies of the state store") : null;
	}

	/**
	 * Returns the decision about publishing an ordinary message.
	 * @param topic topic of the message
	 * @return the decision, or {@code null} if the rules decide
	 */
	public static @Nullable TopicDecision publish(String topic) {
		if (isRequest(topic)) {
			return new TopicDecision(true, "rules for keys decide about requests");
		}
		if (OwnTopics.isResponse(topic)) {
			return new TopicDecision(false, "only the state store publishes on response topics");
		}
		return isReserved(topic) ? new TopicDecision(false, "the topic is reserved for the broker") : null;
	}

	/**
	 * Returns the filter to which rules apply.
	 * @param filter a topic filter, which may be shared
	 * @return the filter without {@code $share/{name}/}
	 */
	public static String ruleFilter(String filter) {
		return TopicFilter.withoutShare(filter);
	}

	/**
	 * Returns whether a topic is reserved for the state store or the broker (all topics
	 * with a leading {@code $}, MQTT 5 section 4.7.2).
	 * @param topic topic of a message
	 */
	static boolean isReserved(String topic) {
		return topic.startsWith(Topics.RESERVED_PREFIX) || topic.startsWith("$");
	}

	/**
	 * Returns whether clients send state store requests to a topic.
	 * @param topic topic of a message
	 */
	static boolean isRequest(String topic) {
		return topic.equals(Topics.REQUEST) || topic.equals(Administration.REQUEST_TOPIC);
	}

	/**
	 * Returns whether the topic of a will is reserved or invalid. The codec has not
	 * checked it, unlike other topics.
	 * @param topic topic of a will
	 */
	static boolean isReservedForWill(String topic) {
		return isReserved(topic) || isRequest(topic) || TopicFilter.hasWildcard(topic);
	}

}
