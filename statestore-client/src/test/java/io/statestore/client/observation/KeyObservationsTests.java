package io.statestore.client.observation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyObservation;
import io.statestore.client.KeyObserver.Settings;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeyObservationsTests extends KeyObservationsFixture {

	@Test
	void isActiveWhenStartIsReported() {
		this.store.connect();
		KeyObservation observation = observe();
		List<Boolean> active = new ArrayList<>();
		observation.started().thenRun(() -> active.add(observation.isActive()));
		assertThat(observation.isActive()).isFalse();
		this.time.pass(1000);
		assertThat(active).containsExactly(true);
		this.store.cut();
		assertThat(observation.isActive()).isFalse();
		this.store.connect();
		this.time.pass(1000);
		assertThat(observation.isActive()).isTrue();
	}

	@Test
	void describesObservedKeys() {
		assertThat(this.observations.observations()).isEmpty();
		KeyObservation observation = observe();
		assertThat(this.observations.observations())
			.containsExactly(new ObservationStatus(KEY, false, null, List.of("test")));
		this.store.set(KEY.bytes(), Bytes.of("value"));
		this.store.connect();
		this.time.pass(1000);
		ObservationStatus first = this.observations.observations().get(0);
		assertThat(first.active()).isTrue();
		this.store.set(KEY.bytes(), Bytes.of("other"));
		this.time.pass(1000);
		ObservationStatus second = this.observations.observations().get(0);
		assertThat(second.version()).isEqualTo(this.delivered.get(0).version()).isGreaterThan(first.version());
		observation.close();
		this.time.pass(1000);
		assertThat(this.observations.observations()).isEmpty();
	}

	@Test
	void secondListenerIsInactiveUntilItsOwnStart() {
		this.store.connect();
		observe();
		this.time.pass(1000);
		KeyObservation second = observe();
		// A write at this time may be part of the initial state, which is not delivered.
		assertThat(second.started()).isNotDone();
		assertThat(second.isActive()).isFalse();
		this.time.pass(1000);
		assertThat(second.started()).isCompleted();
		assertThat(second.isActive()).isTrue();
	}

	@Test
	void reportsInterruptionsInOrderWithChanges() {
		List<String> events = new ArrayList<>();
		this.store.connect();
		this.observations.observe(KEY, new Settings("test", "test", false, false, Set.of(Operation.values()), null,
				true, false, (state) -> events.add(state.name())), (change) -> events.add(change.operation().name()));
		this.time.pass(1000);
		this.store.cut();
		this.time.pass(1000);
		this.store.set(KEY.bytes(), Bytes.of("value"));
		this.store.connect();
		this.time.pass(1000);
		assertThat(events).containsExactly("ACTIVE", "INTERRUPTED", "SET", "ACTIVE");
	}

	@Test
	void staysActiveDuringRenewals() {
		this.store.connect();
		KeyObservation observation = observe();
		this.time.pass(1000);
		int before = this.store.keyNotifies;
		for (int i = 0; i < 400; i++) {
			this.time.pass(1000);
			assertThat(observation.isActive()).isTrue();
		}
		assertThat(this.store.keyNotifies).isEqualTo(before + 2);
	}

	@Test
	void removesKeysWithoutListeners() {
		this.store.connect();
		KeyObservation first = observe();
		KeyObservation second = observe();
		this.time.pass(1000);
		first.close();
		this.time.pass(1000);
		assertThat(this.observations.isActive(KEY)).isTrue();
		second.close();
		assertThat(this.observations.observedKeys()).isOne();
		this.time.pass(1000);
		assertThat(this.observations.observedKeys()).isZero();
		observe().close();
		this.store.cut();
		assertThat(this.observations.observedKeys()).isZero();
	}

	@Test
	void reportsRefusalToPresentAndLaterListeners() {
		KeyObservation before = observe();
		this.store.refuse(new StateStoreException("not authorized"));
		KeyObservation after = observe();
		assertThat(before.started()).isCompletedExceptionally();
		assertThat(after.started()).isCompletedExceptionally();
		this.store.connect();
		this.time.pass(1000);
		assertThat(before.isActive()).isTrue();
	}

	@Test
	void refusalEndsWithItsConnection() {
		observe();
		this.store.refuse(new StateStoreException("not authorized"));
		this.store.cutRefused();
		KeyObservation meanwhile = observe();
		assertThat(meanwhile.started()).isNotDone();
		this.store.connect();
		this.time.pass(1000);
		assertThat(meanwhile.started()).isCompleted();
		assertThat(meanwhile.isActive()).isTrue();
	}

}
