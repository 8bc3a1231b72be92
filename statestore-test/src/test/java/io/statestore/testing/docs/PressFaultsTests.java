package io.statestore.testing.docs;

import java.time.Duration;

import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.FencedLock;
import io.statestore.protocol.ErrorReason;
import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;
import io.statestore.testing.broker.TestClient;
import io.statestore.testing.junit.StateStoreExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PressFaultsTests {

	@RegisterExtension
	static final StateStoreExtension extension = StateStoreExtension.builder().controlTime().build();

	@Test
	void waiterGetsLockOfCrashedHolder(TestBroker broker, TestTime time) {
		try (TestClient crashing = broker.connect("press-1"); TestClient waiting = broker.connect("press-2")) {
			crashing.locks().obtain("press").lock();
			broker.faults().requests().ofClient("press-1").drop();
			time.advance(Duration.ofSeconds(31));
			FencedLock lock = waiting.locks().obtain("press");
			assertThat(lock.tryLock()).isTrue();
			assertThat(lock).isHeldBy("press-2");
			lock.unlock();
		}
	}

	@Test
	void clientHandlesFaults(StateStoreTemplate store, StateStoreFaults faults) {
		faults.replies().ofKey("press-1/setpoint").next(1).cut();
		assertThatExceptionOfType(StateStoreOutcomeUnknownException.class)
			.isThrownBy(() -> store.set("press-1/setpoint", 180));
		extension.broker().reset();
		faults.requests().next(1).refuse(ErrorReason.QUOTA_EXCEEDED);
		assertThatExceptionOfType(StateStoreRefusedException.class)
			.isThrownBy(() -> store.set("press-1/setpoint", 190));
		store.set("press-1/setpoint", 190);
		assertThat(store).hasKey("press-1/setpoint").hasValue(190);
	}

}
