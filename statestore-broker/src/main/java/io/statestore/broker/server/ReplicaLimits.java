package io.statestore.broker.server;

import io.statestore.broker.engine.Quota;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.memory.HeapPlan;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the store's limits, which the leader sets for all nodes, with this node's
 * capacity. Used by the consensus thread.
 */
final class ReplicaLimits {

	private static final Logger logger = LoggerFactory.getLogger(ReplicaLimits.class);

	private static final String ADVICE = "Start all nodes with the same --max-keys, --max-size, --reply-memory, "
			+ "--max-keys-per-user, --client-memory, and --memory-per-client";

	private final Quota quota;

	private final long memory;

	/** The leader's limits that were compared last. */
	private @Nullable Quota compared;

	/**
	 * Creates limits.
	 * @param options this node's options
	 * @param memory memory for the content, in bytes
	 */
	ReplicaLimits(StateStoreServerOptions options, long memory) {
		this.quota = options.quota();
		this.memory = memory;
	}

	/**
	 * Checks the content after an entry.
	 * @throws IllegalStateException if this node cannot hold it
	 */
	void check(StateMachine machine) {
		// Sessions within this node's limit are already part of its client memory.
		long sessions = Math.max(0, machine.sessions().memory().used() - this.quota.sessionMemory());
		long bytes = machine.byteCount() + machine.keyCount() * (long) HeapPlan.KEY_OVERHEAD + machine.replyBytes()
				+ sessions;
		if (bytes > this.memory) {
			throw new IllegalStateException("The content of the store needs " + bytes + " bytes, but the heap of this "
					+ "node has space for " + this.memory + ". Raise the heap (-Xmx). " + ADVICE);
		}
		Quota limits = machine.quota();
		if (machine.isStarted() && !limits.equals(this.compared)) {
			this.compared = limits;
			if (!limits.equals(this.quota)) {
				logger
					.warn("The leader's limits apply to all nodes, and they differ from this node's limits: {} instead "
							+ "of {}. {}", limits, this.quota, ADVICE);
			}
		}
	}

}
