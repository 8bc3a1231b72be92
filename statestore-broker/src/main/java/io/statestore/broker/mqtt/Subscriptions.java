package io.statestore.broker.mqtt;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.netty.handler.codec.mqtt.MqttUnsubscribeMessage;
import io.statestore.broker.packet.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions of one connection, as granted to its client. Used on the event loop of
 * the connection only.
 */
final class Subscriptions {

	private static final String SHARED = "$share/";

	private static final int FIRST_FAILURE = 0x80;

	/** Subscriptions without wildcards, by topic. */
	private final Map<String, Subscription> topics = new HashMap<>();

	/** Subscriptions with wildcards, by filter. */
	private final Map<String, Subscription> patterns = new HashMap<>();

	/** SUBSCRIBE packets in flight, by packet identifier. */
	private final Map<Integer, MqttSubscribeMessage> subscribing = new HashMap<>();

	/** Filters of UNSUBSCRIBE packets in flight, by packet identifier. */
	private final Map<Integer, List<String>> unsubscribing = new HashMap<>();

	/** Returns whether a SUBSCRIBE or UNSUBSCRIBE is in flight. */
	boolean areChanging() {
		return !this.subscribing.isEmpty() || !this.unsubscribing.isEmpty();
	}

	/**
	 * Returns whether a SUBSCRIBE or UNSUBSCRIBE has not been answered.
	 * @param packetId its packet identifier
	 */
	boolean isInFlight(int packetId) {
		return this.subscribing.containsKey(packetId) || this.unsubscribing.containsKey(packetId);
	}

	/** Handles a SUBSCRIBE of the client. */
	void requested(MqttSubscribeMessage message) {
		this.subscribing.put(message.variableHeader().messageId(), message);
	}

	/** Handles an UNSUBSCRIBE of the client. */
	void requested(MqttUnsubscribeMessage message) {
		this.unsubscribing.put(message.variableHeader().messageId(), message.payload().topics());
	}

	/** Adds the subscriptions that a SUBACK grants. */
	void answered(MqttSubAckMessage message) {
		MqttSubscribeMessage request = this.subscribing.remove(message.variableHeader().messageId());
		if (request == null) {
			return;
		}
		MqttProperties.MqttProperty<?> identifier = request.idAndPropertiesVariableHeader()
			.properties()
			.getProperty(MqttProperties.SUBSCRIPTION_IDENTIFIER);
		List<MqttTopicSubscription> filters = request.payload().topicSubscriptions();
		List<Integer> reasons = message.payload().reasonCodes();
		for (int i = 0; i < filters.size() && i < reasons.size(); i++) {
			int granted = reasons.get(i) & 0xFF;
			if (granted < FIRST_FAILURE) {
				add(filters.get(i).topicFilter(), granted, (identifier != null) ? (Integer) identifier.value() : null);
			}
		}
	}

	/** Removes the subscriptions that an UNSUBACK ends. */
	void answered(MqttUnsubAckMessage message) {
		List<String> filters = this.unsubscribing.remove(message.variableHeader().messageId());
		if (filters == null) {
			return;
		}
		// Empty before MQTT 5
		List<Short> reasons = message.payload().unsubscribeReasonCodes();
		for (int i = 0; i < filters.size(); i++) {
			if (i >= reasons.size() || (reasons.get(i) & 0xFF) < FIRST_FAILURE) {
				this.topics.remove(filters.get(i));
				this.patterns.remove(filters.get(i));
			}
		}
	}

	/**
	 * Adds a granted subscription. Ignores shared subscriptions, because the sessions of
	 * the broker select the member that receives a message.
	 * @param filter topic filter of the subscription
	 * @param qos granted QoS level
	 * @param identifier subscription identifier, or {@code null} if there is none
	 */
	void add(String filter, int qos, @Nullable Integer identifier) {
		if (!filter.startsWith(SHARED)) {
			(TopicFilter.hasWildcard(filter) ? this.patterns : this.topics).put(filter,
					new Subscription(qos, identifier));
		}
	}

	/**
	 * Returns the subscriptions that match a topic, or {@code null} if there are none.
	 * @param topic topic of a message
	 */
	@Nullable Match match(String topic) {
		Match match = null;
		Subscription exact = this.topics.get(topic);
		if (exact != null) {
			match = Match.with(null, exact);
		}
		for (Map.Entry<String, Subscription> pattern : this.patterns.entrySet()) {
			if (TopicFilter.matches(pattern.getKey(), topic)) {
				match = Match.with(match, pattern.getValue());
			}
		}
		return match;
	}

	/** Granted QoS level and identifier of one subscription. */
	private record Subscription(int qos, @Nullable Integer identifier) {
	}

	/**
	 * Combination of the subscriptions that match a message.
	 *
	 * @param qos the highest granted QoS level
	 * @param identifiers the subscription identifiers of all
	 */
	record Match(int qos, TreeSet<Integer> identifiers) {

		private static Match with(@Nullable Match match, Subscription subscription) {
			TreeSet<Integer> identifiers = (match != null) ? match.identifiers : new TreeSet<>();
			if (subscription.identifier() != null) {
				identifiers.add(subscription.identifier());
			}
			return new Match((match != null) ? Math.max(match.qos, subscription.qos()) : subscription.qos(),
					identifiers);
		}

	}

}
