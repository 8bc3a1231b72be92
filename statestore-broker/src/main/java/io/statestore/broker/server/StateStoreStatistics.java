package io.statestore.broker.server;

import io.statestore.broker.memory.MemoryStatistics;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.principal.PrincipalStatistics;

/**
 * Statistics of a state store and of the memory that its clients hold. The page
 * docs/limits.md lists the limit that each number belongs to.
 *
 * @param store the store and its requests
 * @param clientMemory the memory of all clients
 * @param principals the principals that have logged in
 * @param connections the broker's network connections
 * @param security logins and refusals
 */
public record StateStoreStatistics(StoreStatistics store, MemoryStatistics clientMemory, PrincipalStatistics principals,
		ConnectionStatistics connections, SecurityStatistics security) {

	/**
	 * Returns the total number of refusals: requests beyond a store limit, memory beyond
	 * a client limit, and connections beyond a principal's or an address's limit. A watch
	 * refused for lack of memory is also a refused request, but counts only once.
	 * @return the number since startup
	 */
	public long refusals() {
		return this.store.refusedRequests() + this.clientMemory.totalRefusals()
				- this.clientMemory.refusals().getOrDefault(MemoryUse.OBSERVATION, 0L)
				+ this.principals.refusedConnections() + this.connections.refused();
	}

}
