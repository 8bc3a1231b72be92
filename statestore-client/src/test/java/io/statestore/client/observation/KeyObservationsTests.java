package io.statestore.client.observation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.statestore.client.Key;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyObservation;
import io.statestore.client.KeyObserver.Settings;
import io.statestore.client.StateStoreException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What holds between listeners and keys, in virtual time. */
class KeyObservationsTests {

	private static final Key KEY = Key.of("key");

	private final VirtualTime time = new VirtualTime();

	private final SimulatedStore store = new SimulatedStore(this.time, new Random(1));

	private final KeyObservations observations = new KeyObservations(this.store, this.store,
			new Pace(this.time::schedule, ObservationOptions.DEFAULT, () -> 0.5), Runnable::run);

	private KeyObservation observe() {
		return this.observations.observe(KEY, new Settings("test", false, false, Set.of(Operation.values()), null),
				(change) -> {
				});
	}

	@Test
	void whoeverHearsOfTheStartFindsItActive() {
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
	void aRenewalKeepsItActive() {
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
	void forgetsKeysThatNobodyListensTo() {
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
	void aRefusalOfTheConnectionReachesEveryListener() {
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
	void aRefusalEndsWithItsConnection() {
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

	@Test
	void afterCloseNothingIsObserved() {
		this.store.connect();
		KeyObservation observation = observe();
		this.time.pass(1000);
		this.observations.close();
		this.time.pass(1000);
		assertThat(observation.isActive()).isFalse();
		assertThat(this.observations.observedKeys()).isZero();
		assertThatIllegalStateException().isThrownBy(this::observe).withMessageContaining("closed");
	}

}
