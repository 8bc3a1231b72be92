package io.statestore.client.observation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyObservation;
import io.statestore.client.KeyObserver.Settings;
import io.statestore.protocol.Bytes;

/** Observations of a simulated store, in virtual time. */
abstract class KeyObservationsFixture {

	static final Key KEY = Key.of("key");

	final VirtualTime time = new VirtualTime();

	final SimulatedStore store = new SimulatedStore(this.time, new Random(1));

	final List<KeyChange<Bytes>> delivered = new ArrayList<>();

	final KeyObservations observations = observations(this.store, Runnable::run);

	KeyObservations observations(NotificationSource source, Executor executor) {
		return new KeyObservations(source, this.store,
				new ObservationTiming(this.time::schedule, ObservationOptions.DEFAULT, () -> 0.5), executor);
	}

	KeyObservation observe() {
		return observe(this.observations);
	}

	KeyObservation observe(KeyObservations observations) {
		return observations.observe(KEY, new Settings("test", false, false, Set.of(Operation.values()), null),
				this.delivered::add);
	}

}
