package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

import io.statestore.broker.memory.MemoryUse;
import io.statestore.protocol.Bytes;

/**
 * Ends observations whose clients may no longer read their key. Used only within the
 * serial executor.
 */
final class ObserverAccess {

	private final Observations observations;

	private final KeyAccess access;

	ObserverAccess(Observations observations, KeyAccess access) {
		this.observations = observations;
		this.access = access;
	}

	/**
	 * Returns the observers that may read a key, and ends all other observations of it.
	 * @param observers all observers of the key
	 */
	Collection<ClientConnection> permitted(Bytes key, Set<ClientConnection> observers) {
		boolean all = true;
		for (ClientConnection observer : observers) {
			all &= this.access.mayRead(observer, key);
		}
		if (all) {
			return observers;
		}
		List<ClientConnection> permitted = new ArrayList<>();
		for (ClientConnection observer : List.copyOf(observers)) {
			if (permits(observer, key)) {
				permitted.add(observer);
			}
		}
		return permitted;
	}

	/** Returns whether an observer may read a key. Ends its observation otherwise. */
	boolean permits(ClientConnection observer, Bytes key) {
		if (this.access.mayRead(observer, key)) {
			return true;
		}
		this.access.endedObservation(observer, key);
		this.observations.remove(observer, key);
		observer.memory().release(MemoryUse.OBSERVATION, Observations.cost(key));
		observer.observationEnded(key);
		return false;
	}

}
