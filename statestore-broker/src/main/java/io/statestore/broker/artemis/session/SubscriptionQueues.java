package io.statestore.broker.artemis.session;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;

/**
 * Numbers of subscriptions for which memory is reserved, by the names of their queues in
 * Artemis. Thread-safe.
 */
final class SubscriptionQueues {

	private final Map<String, Integer> subscriptions = new ConcurrentHashMap<>();

	private final BinaryOperator<String> names;

	/**
	 * Creates an empty collection.
	 * @param names returns the name of a queue, from the id of a client in Artemis and a
	 * filter
	 */
	SubscriptionQueues(BinaryOperator<String> names) {
		this.names = names;
	}

	/**
	 * Counts a subscription. Blocks while its queue is removed.
	 * @param clientId id of the subscriber in Artemis
	 * @param filter topic filter of the subscription in Artemis
	 * @return the name of the queue
	 */
	String add(String clientId, String filter) {
		String queue = this.names.apply(clientId, filter);
		this.subscriptions.merge(queue, 1, Integer::sum);
		return queue;
	}

	/** Stops counting a subscription. */
	void remove(String queue) {
		this.subscriptions.computeIfPresent(queue, (name, count) -> (count > 1) ? count - 1 : null);
	}

	/** Returns whether memory is reserved for a subscription to a queue. */
	boolean contains(String queue) {
		return this.subscriptions.containsKey(queue);
	}

	/**
	 * Runs an action unless memory is reserved for a subscription to a queue. Adding such
	 * a subscription blocks until the action returns.
	 * @param queue name of the queue
	 * @param action short action, which must not use this collection
	 */
	void runUnlessContained(String queue, Runnable action) {
		this.subscriptions.computeIfAbsent(queue, (name) -> {
			action.run();
			return null;
		});
	}

}
