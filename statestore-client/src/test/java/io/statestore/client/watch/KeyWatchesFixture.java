package io.statestore.client.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.protocol.Bytes;

/** Watches of a simulated store, in virtual time. */
abstract class KeyWatchesFixture {

	static final Key KEY = Key.of("key");

	final VirtualTime time = new VirtualTime();

	final SimulatedStore store = new SimulatedStore(this.time, new Random(1));

	final List<KeyChange<Bytes>> delivered = new ArrayList<>();

	final KeyWatches watches = watches(this.store, Runnable::run);

	KeyWatches watches(NotificationSource source, Executor executor) {
		return new KeyWatches(source, this.store, new WatchTiming(this.time::schedule, WatchOptions.DEFAULT, () -> 0.5),
				executor);
	}

	KeyWatch watch() {
		return watch(this.watches);
	}

	KeyWatch watch(KeyWatches watches) {
		return watches.watch(KEY, new Settings("test", false, false, Set.of(Operation.values()), null),
				this.delivered::add);
	}

}
