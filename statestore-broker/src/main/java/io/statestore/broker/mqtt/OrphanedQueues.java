package io.statestore.broker.mqtt;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * Removes queues of subscriptions that no session holds. Artemis 2.43 leaves a queue
 * behind if a session ends on one thread while a SUBSCRIBE is executed on another. Such a
 * queue would collect messages forever. Used by one thread.
 */
final class OrphanedQueues {

	private final ArtemisBridge broker;

	private final SubscriptionQueues queues;

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

	/** Most of the work is done before, because a SUBSCRIBE waits for the removal. */
	private void remove(String queue) {
		this.broker.emptyQueue(queue, () -> !this.queues.contains(queue));
		this.queues.runUnlessContained(queue, () -> this.broker.removeQueue(queue));
	}

}
