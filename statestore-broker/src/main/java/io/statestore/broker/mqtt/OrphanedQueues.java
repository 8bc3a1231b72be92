package io.statestore.broker.mqtt;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Removes queues of subscriptions that no session holds. Artemis 2.43 leaves a queue
 * behind if a session ends on one thread while a SUBSCRIBE is executed on another. Such a
 * queue would collect messages forever. Each kind of sweep is used by one thread.
 */
final class OrphanedQueues {

	private final ArtemisBridge broker;

	private final SubscriptionQueues queues;

	/** Queues of shared subscriptions that had no consumer when a member left. */
	private final Set<String> left = ConcurrentHashMap.newKeySet();

	/** Queues without a session in the last sweep. */
	private Set<String> suspects = Set.of();

	OrphanedQueues(ArtemisBridge broker, SubscriptionQueues queues) {
		this.broker = broker;
		this.queues = queues;
	}

	/**
	 * Removes queues that had no session in this sweep and the last one. A session holds
	 * a queue from the arrival of the SUBSCRIBE on.
	 */
	void sweep() {
		Set<String> orphans = this.broker.subscriptionQueues()
			.filter((queue) -> !this.queues.contains(queue))
			.collect(Collectors.toUnmodifiableSet());
		orphans.stream().filter(this.suspects::contains).forEach(this::remove);
		this.suspects = orphans;
	}

	/**
	 * Takes note that a member of a shared subscription has left, and no other member is
	 * connected. Thread-safe.
	 * @param queue name of the queue
	 */
	void left(String queue) {
		this.left.add(queue);
	}

	/**
	 * Removes the queues of shared subscriptions whose last member has left. This must
	 * not wait for two sweeps, because the memory of the subscription is released
	 * already.
	 */
	void sweepLeft() {
		this.left.removeIf((queue) -> {
			boolean unused = !this.queues.contains(queue);
			if (unused && !this.broker.hasConsumers(queue)) {
				remove(queue);
			}
			return unused;
		});
	}

	/** Most of the work is done before, because a SUBSCRIBE waits for the removal. */
	private void remove(String queue) {
		this.broker.emptyQueue(queue, () -> !this.queues.contains(queue));
		this.queues.runUnlessContained(queue, () -> this.broker.removeQueue(queue));
	}

}
