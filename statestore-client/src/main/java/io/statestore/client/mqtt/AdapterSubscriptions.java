package io.statestore.client.mqtt;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import org.eclipse.paho.mqttv5.client.IMqttMessageListener;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of the adapters and their listeners. A message goes to the listeners
 * of the subscription identifiers it carries (MQTT 5 section 3.3.2.3.8), so one that the
 * broker sends once for each of several overlapping subscriptions reaches each listener
 * once. Without identifiers, its topic decides.
 * <p>
 * Subscriptions outlive connections, because the messages of a resumed session arrive
 * before the adapters have subscribed again.
 */
final class AdapterSubscriptions {

	private final Map<String, Subscription> subscriptions = new ConcurrentHashMap<>();

	private final AtomicInteger lastIdentifier = new AtomicInteger();

	private final IMqttMessageListener unmatched;

	/**
	 * @param unmatched receives the messages that match no subscription
	 */
	AdapterSubscriptions(IMqttMessageListener unmatched) {
		this.unmatched = unmatched;
	}

	IMqttMessageListener unmatched() {
		return this.unmatched;
	}

	/**
	 * Adds subscriptions, in place of earlier ones with the same filters.
	 * @param properties the properties that the caller gave
	 * @param identifiers whether the broker supports subscription identifiers
	 * @return the properties to subscribe with
	 */
	MqttProperties add(MqttSubscription[] requested, List<@Nullable IMqttMessageListener> listeners,
			MqttProperties properties, boolean identifiers) {
		Integer identifier = identifiers ? identifier(requested, properties) : null;
		for (int i = 0; i < requested.length; i++) {
			String filter = requested[i].getTopic();
			IMqttMessageListener listener = listeners.get(i);
			this.subscriptions.put(filter, new Subscription(new TopicFilter(filter), identifier,
					(listener != null) ? listener : this.unmatched));
		}
		MqttProperties result = new MqttProperties();
		result.setSubscriptionIdentifier(identifier);
		if (properties.getUserProperties() != null) {
			result.setUserProperties(properties.getUserProperties());
		}
		return result;
	}

	/** Spring Integration gives 0, which stands for an identifier of our choice. */
	private Integer identifier(MqttSubscription[] requested, MqttProperties properties) {
		Integer given = properties.getSubscriptionIdentifier();
		if (given == null || given == 0) {
			given = properties.getSubscriptionIdentifiers().stream().findFirst().orElse(0);
		}
		if (given != 0) {
			return given;
		}
		Subscription earlier = this.subscriptions.get(requested[0].getTopic());
		if (earlier != null && earlier.identifier != null) {
			return earlier.identifier;
		}
		Set<Integer> used = new LinkedHashSet<>();
		this.subscriptions.values().forEach((subscription) -> used.add(subscription.identifierOrZero()));
		int next = this.lastIdentifier.incrementAndGet();
		while (used.contains(next)) {
			next = this.lastIdentifier.incrementAndGet();
		}
		return next;
	}

	void remove(String filter) {
		this.subscriptions.remove(filter);
	}

	void clear() {
		this.subscriptions.clear();
	}

	/** Returns the listeners of a message, each of them once. */
	List<IMqttMessageListener> listeners(String topic, MqttMessage message) {
		List<Integer> identifiers = message.getProperties().getSubscriptionIdentifiers();
		List<IMqttMessageListener> identified = listeners(
				(subscription) -> identifiers.contains(subscription.identifierOrZero()));
		return !identified.isEmpty() ? identified : listeners((subscription) -> subscription.filter.matches(topic));
	}

	private List<IMqttMessageListener> listeners(Predicate<Subscription> matching) {
		return this.subscriptions.values().stream().filter(matching).map(Subscription::listener).distinct().toList();
	}

	private record Subscription(TopicFilter filter, @Nullable Integer identifier, IMqttMessageListener listener) {

		int identifierOrZero() {
			return (this.identifier != null) ? this.identifier : 0;
		}

	}

}
