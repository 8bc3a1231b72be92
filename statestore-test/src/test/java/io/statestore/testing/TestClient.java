package io.statestore.testing;

import java.time.Duration;

import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.StateStoreLockRegistry;

/** A client of any kind of store. */
interface TestClient extends AutoCloseable {

	StateStoreOperations operations();

	/** Creates a registry of locks with a lease. */
	StateStoreLockRegistry locks(Duration lease);

	@Override
	void close();

}
