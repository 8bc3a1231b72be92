package io.statestore.testing.junit;

import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;
import io.statestore.testing.broker.TestClient;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(StateStoreExtension.class)
class StateStoreExtensionTests {

	private final TestBroker broker;

	StateStoreExtensionTests(TestBroker broker) {
		this.broker = broker;
	}

	@Test
	void resolvesParameters(StateStoreOperations store, StateStoreAsyncOperations async, StateStoreLockRegistry locks,
			StateStoreFaults faults, TestClient client) {
		assertThat(client.operations()).isSameAs(store);
		assertThat(faults).isSameAs(this.broker.faults());
		async.set("press", "180").join();
		assertThat(store).hasKey("press").hasValue("180");
		assertThat(locks.obtain("press-lock")).isFree();
	}

	@RepeatedTest(2)
	void startsWithEmptyStore(StateStoreOperations store) {
		assertThat(store).hasOnlyKeys("*");
		store.set("press", "180");
	}

	@Nested
	class NestedTests {

		@Test
		void sharesBroker(TestBroker nested) {
			assertThat(nested).isSameAs(StateStoreExtensionTests.this.broker);
		}

	}

}
