package io.statestore.broker.server;

import io.statestore.broker.memory.MemoryStatistics;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.principal.PrincipalStatistics;

/**
 * Statistics of a state store and of the memory that its clients hold. Docs/limits.md
 * says which limit each number belongs to.
 *
 * @param store the store and its requests
 * @param clientMemory the memory of all clients
 * @param principals the principals that have logged in
 * @param connections the network connections of a broker
 * @param security logins and refusals
 */
public record StateStoreStatistics(StoreStatistics store, MemoryStatistics clientMemory, PrincipalStatistics principals,
		ConnectionStatistics connections, SecurityStatistics security) {

	/**
	 * Returns the number of refusals of any kind: requests beyond a limit of the store,
	 * memory beyond a limit of clients, and connections beyond the limit of a principal
	 * or an address. A watch without memory is a refused request too, and counts once.
	 * @return the number since the start
	 */
	public long refusals() {
		return this.store.refusedRequests() + this.clientMemory.totalRefusals()
				- this.clientMemory.refusals().getOrDefault(MemoryUse.OBSERVATION, 0L)
				+ this.principals.refusedConnections() + this.connections.refused();
	}

}
