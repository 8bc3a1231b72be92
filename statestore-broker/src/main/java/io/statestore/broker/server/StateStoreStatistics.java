package io.statestore.broker.server;

import io.statestore.broker.memory.MemoryStatistics;
import io.statestore.broker.memory.MemoryUse;

/**
 * Statistics of a state store and of the memory that its clients hold. Docs/limits.md
 * says which limit each number belongs to.
 *
 * @param store the store and its requests
 * @param clientMemory the memory of all clients
 * @param security logins and refusals
 */
public record StateStoreStatistics(StoreStatistics store, MemoryStatistics clientMemory, SecurityStatistics security) {

	/**
	 * Returns the number of refusals of any kind: requests beyond a limit of the store,
	 * and memory beyond a limit of clients. An observation without memory is a refused
	 * request too, and counts once.
	 * @return the number since the start
	 */
	public long refusals() {
		return this.store.refusedRequests() + this.clientMemory.totalRefusals()
				- this.clientMemory.refusals().getOrDefault(MemoryUse.OBSERVATION, 0L);
	}

}
