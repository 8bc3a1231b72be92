package io.statestore.broker.memory;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Snapshot of the memory that clients hold, and of refused reservations.
 *
 * @param maxBytes maximum memory of all clients together, in bytes
 * @param maxBytesPerClient maximum memory of one client, in bytes
 * @param usedBytes memory that all clients hold, in bytes
 * @param usedBytesByPurpose memory that all clients hold for each purpose, in bytes
 * @param refusals number of reservations refused since the start, for each purpose
 */
public record MemoryStatistics(long maxBytes, long maxBytesPerClient, long usedBytes,
		Map<MemoryUse, Long> usedBytesByPurpose, Map<MemoryUse, Long> refusals) {

	public MemoryStatistics {
		usedBytesByPurpose = copyOf(usedBytesByPurpose);
		refusals = copyOf(refusals);
	}

	/** Returns a copy that keeps the order of the purposes, unlike {@code Map.copyOf}. */
	private static Map<MemoryUse, Long> copyOf(Map<MemoryUse, Long> map) {
		Map<MemoryUse, Long> copy = new EnumMap<>(MemoryUse.class);
		copy.putAll(map);
		return Collections.unmodifiableMap(copy);
	}

	/**
	 * Returns the number of refused reservations.
	 * @return the sum over all purposes
	 */
	public long totalRefusals() {
		return this.refusals.values().stream().mapToLong(Long::longValue).sum();
	}

}
