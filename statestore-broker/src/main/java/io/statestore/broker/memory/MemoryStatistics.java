package io.statestore.broker.memory;

import java.util.EnumMap;
import java.util.Map;

/**
 * The memory that clients held at one moment, and reservations refused until then.
 *
 * @param maxBytes maximum of all clients together
 * @param maxBytesPerClient maximum of one client
 * @param usedBytes memory that all clients hold
 * @param usedBytesByPurpose the same, for each purpose
 * @param refusals reservations refused since the start, for each purpose
 */
public record MemoryStatistics(long maxBytes, long maxBytesPerClient, long usedBytes,
		Map<MemoryUse, Long> usedBytesByPurpose, Map<MemoryUse, Long> refusals) {

	/**
	 * Creates statistics.
	 */
	public MemoryStatistics {
		usedBytesByPurpose = Map.copyOf(usedBytesByPurpose);
		refusals = Map.copyOf(refusals);
	}

	static MemoryStatistics of(MemoryBudget budget) {
		Map<MemoryUse, Long> used = new EnumMap<>(MemoryUse.class);
		Map<MemoryUse, Long> refusals = new EnumMap<>(MemoryUse.class);
		for (MemoryUse use : MemoryUse.values()) {
			used.put(use, budget.used(use));
			refusals.put(use, budget.refused(use));
		}
		return new MemoryStatistics(budget.maxBytes(), budget.maxBytesPerClient(), budget.used(), used, refusals);
	}

	/**
	 * Returns the number of refused reservations.
	 * @return the sum over all purposes
	 */
	public long totalRefusals() {
		return this.refusals.values().stream().mapToLong(Long::longValue).sum();
	}

}
