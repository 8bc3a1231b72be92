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

	private final SessionLedger sessions;

	/** Queues without a session in the last sweep. */
	private Set<String> suspects = Set.of();

	OrphanedQueues(ArtemisBridge broker, SessionLedger sessions) {
		this.broker = broker;
		this.sessions = sessions;
	}

	/**
	 * Removes queues that had no session in this sweep and the last one. A session holds
	 * a queue from the arrival of the SUBSCRIBE on.
	 */
	void sweep() {
		Set<String> queues = this.broker.subscriptionQueues();
		Set<String> held = this.sessions.queues();
		Set<String> orphans = queues.stream()
			.filter((queue) -> !held.contains(queue))
			.collect(Collectors.toUnmodifiableSet());
		orphans.stream()
			.filter(this.suspects::contains)
			.forEach((queue) -> this.sessions.removeUncounted(queue, () -> this.broker.removeQueue(queue)));
		this.suspects = orphans;
	}

}
