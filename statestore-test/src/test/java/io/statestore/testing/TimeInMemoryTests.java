package io.statestore.testing;

import java.time.Duration;

import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.junit.jupiter.api.AfterAll;

/** Controlled time of clients and a server without MQTT. */
class TimeInMemoryTests extends ControlledTimeTest {

	private final InMemoryStateStore store = new InMemoryStateStore(this.time);

	@Override
	TestClient connect(String clientId) {
		InMemoryClient client = this.store.client(clientId);
		return new TestClient() {

			@Override
			public StateStoreOperations operations() {
				return client.operations();
			}

			@Override
			public StateStoreLockRegistry locks(Duration lease) {
				return client.locks(LockOptions.DEFAULT.withLease(lease));
			}

			@Override
			public void close() {
				client.close();
			}

		};
	}

	@AfterAll
	void closeStore() {
		this.store.close();
	}

}
