package io.statestore.broker.mqtt;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

import io.statestore.protocol.TopicFilter;
import io.statestore.broker.session.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions that are granted to one client, for the messages that the state store
 * sends to it. Used on the event loop of the connection.
 */
final class GrantedSubscriptions {

	/** Subscriptions without wildcards, by topic. */
	private final Map<String, Subscription> topics = new HashMap<>();

	/** Subscriptions with wildcards, by filter. */
	private final Map<String, Subscription> patterns = new HashMap<>();

	/**
	 * Adds a subscription. Ignores shared ones: sessions choose the member for a message.
	 */
	void add(Subscription subscription) {
		if (!subscription.isShared()) {
			String filter = subscription.filter();
			(TopicFilter.hasWildcard(filter) ? this.patterns : this.topics).put(filter, subscription);
		}
	}

	void remove(String filter) {
		this.topics.remove(filter);
		this.patterns.remove(filter);
	}

	/**
	 * Returns the subscriptions that match a topic, or {@code null} if there are none.
	 * @param topic topic of a message
	 */
	@Nullable Match match(String topic) {
		Subscription exact = this.topics.get(topic);
		Match match = (exact != null) ? Match.with(null, exact) : null;
		for (Map.Entry<String, Subscription> pattern : this.patterns.entrySet()) {
			if (TopicFilter.matches(pattern.getKey(), topic)) {
				match = Match.with(match, pattern.getValue());
			}
		}
		return match;
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
			if (subscription.identifier() != 0) {
				identifiers.add(subscription.identifier());
			}
			return new Match((match != null) ? Math.max(match.qos, subscription.qos()) : subscription.qos(),
					identifiers);
		}

	}

}
