package io.statestore.broker.artemis.session;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Removal of queues of subscriptions that no session holds. Artemis 2.43 leaves a queue
 * behind if a session ends on one thread while a SUBSCRIBE is executed on another. Such a
 * queue would collect messages forever. One thread at a time may call each sweep.
 */
final class OrphanedQueues {

	private final ArtemisQueues queues;

	private final SubscriptionQueues subscriptions;

	/** Names of queues of shared subscriptions without consumers after a member left. */
	private final Set<String> left = ConcurrentHashMap.newKeySet();

	/** Names of queues that had no session in the previous sweep. */
	private Set<String> suspects = Set.of();

	OrphanedQueues(ArtemisQueues queues, SubscriptionQueues subscriptions) {
		this.queues = queues;
		this.subscriptions = subscriptions;
	}

	/**
	 * Removes queues that had no session in this sweep and in the previous one. A session
	 * holds a queue as soon as its SUBSCRIBE arrives.
	 */
	void sweep() {
		Set<String> orphans = this.queues.ofSubscriptions()
			.filter((queue) -> !this.subscriptions.contains(queue))
			.collect(Collectors.toUnmodifiableSet());
		orphans.stream().filter(this.suspects::contains).forEach(this::remove);
		this.suspects = orphans;
	}

	/**
	 * Handles the departure of the last connected member of a shared subscription.
	 * Thread-safe.
	 * @param queue name of the queue
	 */
	void left(String queue) {
		this.left.add(queue);
	}

	/**
	 * Removes the queues of shared subscriptions whose last member has left. Does not
	 * wait for a second sweep, because the memory of the subscription has been released.
	 */
	void sweepLeft() {
		this.left.removeIf((queue) -> {
			boolean unused = !this.subscriptions.contains(queue);
			if (unused && !this.queues.hasConsumers(queue)) {
				remove(queue);
			}
			return unused;
		});
	}

	/**
	 * Removes a queue. Empties it first, because a new SUBSCRIBE waits for the removal.
	 */
	private void remove(String queue) {
		this.queues.empty(queue, () -> !this.subscriptions.contains(queue));
		this.subscriptions.runUnlessContained(queue, () -> this.queues.remove(queue));
	}

}
