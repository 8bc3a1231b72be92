package io.statestore.broker.memory;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * A snapshot of the memory that clients hold and of refused reservations.
 *
 * @param maxBytes maximum memory of all clients together, in bytes
 * @param maxBytesPerClient maximum memory of one client, in bytes
 * @param usedBytes memory that all clients hold, in bytes
 * @param usedBytesByPurpose memory that all clients hold for each purpose, in bytes
 * @param refusals number of reservations refused since startup, for each purpose
 */
public record MemoryStatistics(long maxBytes, long maxBytesPerClient, long usedBytes,
		Map<MemoryUse, Long> usedBytesByPurpose, Map<MemoryUse, Long> refusals) {

	public MemoryStatistics {
		// Unlike Map.copyOf, EnumMap keeps the order of the purposes.
		usedBytesByPurpose = Collections.unmodifiableMap(new EnumMap<>(usedBytesByPurpose));
		refusals = Collections.unmodifiableMap(new EnumMap<>(refusals));
	}

	/**
	 * Returns the number of refused reservations.
	 * @return the sum over all purposes
	 */
	public long totalRefusals() {
		return this.refusals.values().stream().mapToLong(Long::longValue).sum();
	}

}
