package io.statestore.broker.memory;

import org.jspecify.annotations.Nullable;

/**
 * Configured limits of a state store and of its clients. Every limit is named after the
 * option it comes from, and an invalid one is refused with an
 * {@link IllegalArgumentException} that names the option, the value, and valid values.
 * <p>
 * The limits of the store are plain numbers, so that several nodes with the same limits
 * decide alike. Only their defaults depend on the heap.
 *
 * @param maxKeys maximum number of keys, at least 1
 * @param maxBytes maximum size of all keys and values, at least 1
 * @param replyMemory memory of remembered replies, at least 1 MiB
 * @param clientMemory memory of all clients together, at least 1 MiB
 * @param memoryPerClient memory of one client, at least 64 KiB; {@code null} for a
 * quarter of that of all clients
 */
public record Limits(long maxKeys, long maxBytes, long replyMemory, long clientMemory, @Nullable Long memoryPerClient) {

	private static final long MIN_MEMORY = 1 << 20;

	private static final long MIN_MEMORY_PER_CLIENT = 64 << 10;

	public Limits {
		atLeast("maxKeys", maxKeys, 1);
		atLeast("maxBytes", maxBytes, 1);
		atLeast("replyMemory", replyMemory, MIN_MEMORY);
		atLeast("clientMemory", clientMemory, MIN_MEMORY);
		if (memoryPerClient != null) {
			atLeast("memoryPerClient", memoryPerClient, MIN_MEMORY_PER_CLIENT);
		}
	}

	/**
	 * Returns the defaults for this JVM.
	 * @return limits according to the {@link HeapPlan}
	 */
	public static Limits ofThisJvm() {
		return HeapPlan.ofThisJvm().limits();
	}

	/**
	 * Returns a copy with another maximum number of keys.
	 * @param maxKeys the number
	 * @return new limits
	 */
	public Limits withMaxKeys(long maxKeys) {
		return new Limits(maxKeys, this.maxBytes, this.replyMemory, this.clientMemory, this.memoryPerClient);
	}

	/**
	 * Returns a copy with another maximum size of all keys and values.
	 * @param maxBytes the size
	 * @return new limits
	 */
	public Limits withMaxBytes(long maxBytes) {
		return new Limits(this.maxKeys, maxBytes, this.replyMemory, this.clientMemory, this.memoryPerClient);
	}

	/**
	 * Returns a copy with another memory of remembered replies.
	 * @param replyMemory in bytes
	 * @return new limits
	 */
	public Limits withReplyMemory(long replyMemory) {
		return new Limits(this.maxKeys, this.maxBytes, replyMemory, this.clientMemory, this.memoryPerClient);
	}

	/**
	 * Returns a copy with another memory of all clients together.
	 * @param clientMemory in bytes
	 * @return new limits
	 */
	public Limits withClientMemory(long clientMemory) {
		return new Limits(this.maxKeys, this.maxBytes, this.replyMemory, clientMemory, this.memoryPerClient);
	}

	/**
	 * Returns a copy with another memory of one client.
	 * @param memoryPerClient in bytes
	 * @return new limits
	 */
	public Limits withMemoryPerClient(long memoryPerClient) {
		return new Limits(this.maxKeys, this.maxBytes, this.replyMemory, this.clientMemory, memoryPerClient);
	}

	/**
	 * Creates the budget of the clients.
	 * @return a new budget
	 * @throws IllegalArgumentException if one client may hold more than all together
	 */
	public MemoryBudget newBudget() {
		if (this.memoryPerClient == null) {
			return MemoryBudget.of(this.clientMemory);
		}
		if (this.memoryPerClient > this.clientMemory) {
			throw invalid("memoryPerClient", this.memoryPerClient, MIN_MEMORY_PER_CLIENT + " to " + this.clientMemory
					+ ", the memory of all clients. Lower it, or raise 'clientMemory'");
		}
		return new MemoryBudget(this.clientMemory, this.memoryPerClient);
	}

	private static void atLeast(String option, long value, long min) {
		if (value < min) {
			throw invalid(option, value, "at least " + min);
		}
	}

	static IllegalArgumentException invalid(String option, long value, String valid) {
		return new IllegalArgumentException("Option '" + option + "' is '" + value + "'; valid is " + valid);
	}

}
