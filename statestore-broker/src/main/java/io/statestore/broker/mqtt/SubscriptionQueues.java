package io.statestore.broker.mqtt;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;

/**
 * Number of subscriptions for which memory is reserved, by the name of their queue in
 * Artemis. Thread-safe.
 */
final class SubscriptionQueues {

	private final Map<String, Integer> subscriptions = new ConcurrentHashMap<>();

	private final BinaryOperator<String> names;

	/**
	 * Creates an empty collection.
	 * @param names returns the name of a queue for the id of a client in Artemis and a
	 * filter
	 */
	SubscriptionQueues(BinaryOperator<String> names) {
		this.names = names;
	}

	/**
	 * Counts a subscription. Waits while its queue is removed.
	 * @param clientId of the subscriber in Artemis
	 * @param filter of the subscription in Artemis
	 * @return the name of the queue
	 */
	String add(String clientId, String filter) {
		String queue = this.names.apply(clientId, filter);
		this.subscriptions.merge(queue, 1, Integer::sum);
		return queue;
	}

	/** Ends counting a subscription. */
	void remove(String queue) {
		this.subscriptions.computeIfPresent(queue, (name, count) -> (count > 1) ? count - 1 : null);
	}

	/** Returns whether memory is reserved for a subscription to a queue. */
	boolean contains(String queue) {
		return this.subscriptions.containsKey(queue);
	}

	/**
	 * Runs a short action unless memory is reserved for a subscription to a queue. No
	 * such subscription is added in the meantime.
	 * @param queue name of the queue
	 * @param action must not use this collection
	 */
	void runUnlessContained(String queue, Runnable action) {
		this.subscriptions.computeIfAbsent(queue, (name) -> {
			action.run();
			return null;
		});
	}

}
