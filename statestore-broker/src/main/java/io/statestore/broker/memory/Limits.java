package io.statestore.broker.memory;

import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;

/**
 * Configured limits of a state store and its clients. Each limit has the name of its
 * option. An invalid limit causes an {@link InvalidOptionException}.
 * <p>
 * The store's limits are absolute numbers, so that several nodes with the same limits
 * make the same decisions. Only the defaults depend on the heap.
 *
 * @param maxKeys maximum number of keys, at least 1. Above it, the store refuses new keys
 * with "the quota has been exceeded". Default one per 2 KiB of the maximum heap; 131,072
 * in a cluster
 * @param maxSize maximum total size of keys and values in bytes, at least 1. Above it,
 * the store refuses values with "the quota has been exceeded". Default a quarter of the
 * maximum heap; 64 MiB in a cluster
 * @param replyMemory memory for remembered replies in bytes, at least 1 MiB. Remembered
 * replies prevent redelivered requests from being executed twice. If the memory is full,
 * the client whose replies use the most memory loses its oldest reply. Default a
 * sixteenth of the maximum heap; 16 MiB in a cluster
 * @param clientMemory memory for all clients together in bytes, at least 1 MiB:
 * connections, arriving packets, waiting messages, watched keys, topics, subscriptions,
 * sessions, and retained messages. Above it, the broker refuses or disconnects clients
 * with reason code 0x97, Quota exceeded. A gateway refuses their requests instead.
 * Default a quarter of the maximum heap
 * @param memoryPerClient memory per client in bytes, at least 64 KiB and at most
 * {@code clientMemory}; {@code null}, the default, for a quarter of {@code clientMemory}
 */
public record Limits(long maxKeys, long maxSize, long replyMemory, long clientMemory, @Nullable Long memoryPerClient) {

	/**
	 * End of log messages about exhausted client memory, with a placeholder for
	 * {@link MemoryBudget#largestHolder()}.
	 */
	public static final String RAISE_MEMORY = "Most memory is held by {}. If this persists, check that user, or raise "
			+ "--memory-per-client and --client-memory";

	private static final long MIN_MEMORY = 1 << 20;

	private static final long MIN_MEMORY_PER_CLIENT = 64 << 10;

	public Limits {
		atLeast("maxKeys", maxKeys, 1);
		atLeast("maxSize", maxSize, 1);
		atLeast("replyMemory", replyMemory, MIN_MEMORY);
		atLeast("clientMemory", clientMemory, MIN_MEMORY);
		if (memoryPerClient != null) {
			atLeast("memoryPerClient", memoryPerClient, MIN_MEMORY_PER_CLIENT);
		}
	}

	/**
	 * Returns the defaults for this JVM.
	 * @return the limits in its {@link HeapPlan}
	 */
	public static Limits ofThisJvm() {
		return HeapPlan.ofThisJvm().limits();
	}

	/**
	 * Returns the defaults for a cluster node. The store's limits are the same on all
	 * nodes. Otherwise, a leader with a larger heap could set limits that exceed another
	 * node's heap.
	 * @return the store's limits for a heap of 256 MiB, and the client limits for this
	 * JVM
	 */
	public static Limits ofNode() {
		Limits store = HeapPlan.OF_NODE.limits();
		return new Limits(store.maxKeys, store.maxSize, store.replyMemory, ofThisJvm().clientMemory, null);
	}

	/**
	 * Returns a copy with a different maximum number of keys.
	 * @param maxKeys the maximum number of keys, at least 1
	 * @return new limits
	 */
	public Limits withMaxKeys(long maxKeys) {
		return new Limits(maxKeys, this.maxSize, this.replyMemory, this.clientMemory, this.memoryPerClient);
	}

	/**
	 * Returns a copy with a different maximum total size of keys and values.
	 * @param maxSize the size in bytes, at least 1
	 * @return new limits
	 */
	public Limits withMaxSize(long maxSize) {
		return new Limits(this.maxKeys, maxSize, this.replyMemory, this.clientMemory, this.memoryPerClient);
	}

	/**
	 * Returns a copy with a different memory limit for remembered replies.
	 * @param replyMemory the memory in bytes, at least 1 MiB
	 * @return new limits
	 */
	public Limits withReplyMemory(long replyMemory) {
		return new Limits(this.maxKeys, this.maxSize, replyMemory, this.clientMemory, this.memoryPerClient);
	}

	/**
	 * Returns a copy with a different memory limit for all clients together.
	 * @param clientMemory the memory in bytes, at least 1 MiB
	 * @return new limits
	 */
	public Limits withClientMemory(long clientMemory) {
		return new Limits(this.maxKeys, this.maxSize, this.replyMemory, clientMemory, this.memoryPerClient);
	}

	/**
	 * Returns a copy with a different memory limit per client.
	 * @param memoryPerClient the memory in bytes, at least 64 KiB
	 * @return new limits
	 */
	public Limits withMemoryPerClient(long memoryPerClient) {
		return new Limits(this.maxKeys, this.maxSize, this.replyMemory, this.clientMemory, memoryPerClient);
	}

	/**
	 * Creates the memory budget for clients.
	 * @return a new budget
	 * @throws InvalidOptionException if the limit per client exceeds the limit for all
	 * clients together
	 */
	public MemoryBudget newBudget() {
		if (this.memoryPerClient == null) {
			return MemoryBudget.of(this.clientMemory);
		}
		if (this.memoryPerClient > this.clientMemory) {
			throw InvalidOptionException.limited("memoryPerClient", this.memoryPerClient,
					"must be " + MIN_MEMORY_PER_CLIENT + " to " + this.clientMemory + ", the memory of all clients",
					"clientMemory");
		}
		return new MemoryBudget(this.clientMemory, this.memoryPerClient);
	}

	private static void atLeast(String option, long value, long min) {
		if (value < min) {
			throw new InvalidOptionException(option, value, "must be at least " + min);
		}
	}

}
