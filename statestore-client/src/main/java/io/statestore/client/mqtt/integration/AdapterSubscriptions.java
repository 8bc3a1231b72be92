package io.statestore.client.mqtt.integration;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.statestore.protocol.TopicFilter;
import org.eclipse.paho.mqttv5.client.IMqttMessageListener;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions of the adapters, and their listeners. The subscription identifiers of a
 * message select its listeners (MQTT 5 section 3.3.2.3.8). If the broker sends a message
 * once for each of several overlapping subscriptions, each listener thus receives it
 * once. The topic selects the listeners of a message without identifiers.
 * <p>
 * Subscriptions outlive connections, because the messages of a resumed session arrive
 * before the adapters have subscribed again. Thread-safe.
 */
final class AdapterSubscriptions {

	/** Listener of a suspended subscription, which drops its messages. */
	static final IMqttMessageListener SUSPENDED = (topic, message) -> {
	};

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
	 * Adds subscriptions, and replaces earlier ones with the same filters.
	 * @param listeners a listener for each subscription, {@code null} for the default one
	 * @param properties properties of the adapter's request
	 * @param identifiers whether the broker supports subscription identifiers
	 * @return the subscription identifier of the SUBSCRIBE, 0 for none
	 */
	int add(MqttSubscription[] requested, @Nullable IMqttMessageListener[] listeners, MqttProperties properties,
			boolean identifiers) {
		int identifier = identifiers ? identifier(requested, properties) : 0;
		for (int i = 0; i < requested.length; i++) {
			String filter = requested[i].getTopic();
			IMqttMessageListener listener = listeners[i];
			this.subscriptions.put(filter,
					new Subscription(filter, identifier, (listener != null) ? listener : this.unmatched));
		}
		return identifier;
	}

	/**
	 * Returns the identifier for a request: that of the adapter, or a new one if it is 0,
	 * which Spring Integration sets.
	 */
	private int identifier(MqttSubscription[] requested, MqttProperties properties) {
		Integer given = properties.getSubscriptionIdentifier();
		if (given == null || given == 0) {
			given = properties.getSubscriptionIdentifiers().stream().findFirst().orElse(0);
		}
		if (given != 0) {
			return given;
		}
		Subscription earlier = this.subscriptions.get(requested[0].getTopic());
		if (earlier != null && earlier.identifier != 0) {
			return earlier.identifier;
		}
		return IntStream.generate(this.lastIdentifier::incrementAndGet)
			.filter((next) -> this.subscriptions.values().stream().noneMatch((used) -> used.identifier == next))
			.findFirst()
			.getAsInt();
	}

	/**
	 * Drops the messages of subscriptions from now on, unless they are replaced
	 * meanwhile. Ignores unknown filters.
	 */
	void suspend(Supplier<Set<String>> filters) {
		Map<String, Subscription> current = new HashMap<>(this.subscriptions);
		current.keySet().retainAll(filters.get());
		current.forEach((filter, subscription) -> this.subscriptions.replace(filter, subscription,
				new Subscription(filter, subscription.identifier, SUSPENDED)));
	}

	/** Returns the filters of the suspended subscriptions. */
	String[] suspended() {
		return this.subscriptions.values()
			.stream()
			.filter((subscription) -> subscription.listener == SUSPENDED)
			.map(Subscription::filter)
			.toArray(String[]::new);
	}

	/**
	 * Returns a task that removes subscriptions unless they are replaced meanwhile.
	 */
	Runnable removal(String... filters) {
		Map<String, Subscription> current = new HashMap<>(this.subscriptions);
		current.keySet().retainAll(Set.of(filters));
		return () -> current.forEach(this.subscriptions::remove);
	}

	void clear() {
		this.subscriptions.clear();
	}

	/** Returns the listeners of a message, without duplicates. */
	List<IMqttMessageListener> listeners(String topic, MqttMessage message) {
		List<Integer> identifiers = message.getProperties().getSubscriptionIdentifiers();
		List<IMqttMessageListener> identified = listeners(
				(subscription) -> identifiers.contains(subscription.identifier));
		return !identified.isEmpty() ? identified
				: listeners((subscription) -> TopicFilter.matches(subscription.filter, topic));
	}

	private List<IMqttMessageListener> listeners(Predicate<Subscription> matching) {
		return this.subscriptions.values().stream().filter(matching).map(Subscription::listener).distinct().toList();
	}

	/**
	 * A subscription, equal only to itself, so that its removal does not remove a later
	 * one with the same listener.
	 *
	 * @param identifier the subscription identifier, 0 for none
	 */
	private record Subscription(String filter, int identifier, IMqttMessageListener listener) {

		@Override
		public boolean equals(@Nullable Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return System.identityHashCode(this);
		}

	}

}
