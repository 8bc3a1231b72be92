package io.statestore.client.watch;

import java.util.Objects;
import java.util.Random;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.cache.NearCacheProbe;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Admission of more keys than watches can start, in virtual time. */
class NearCacheAdmissionTests {

	private static final int KEYS = 10 * NearCacheProbe.MAX_STARTING;

	private final VirtualTime time = new VirtualTime();

	private final SimulatedStore store = new SimulatedStore(this.time, new Random(1));

	private final StateStoreTemplate template = new StateStoreTemplate(this.store, null, new KeyWatches(this.store,
			this.store, new WatchTiming(this.time::schedule, WatchOptions.DEFAULT, () -> 0.5), (task) -> {
			}));

	NearCacheAdmissionTests() {
		this.store.connect();
		for (int i = 0; i < KEYS; i++) {
			this.store.set(key(i).bytes(), Bytes.of("value"));
		}
	}

	private static Key key(int i) {
		return Key.of("key " + i);
	}

	private void findAll(NearCacheProbe near) {
		for (int i = 0; i < KEYS; i++) {
			near.found(new Entry<>(key(i), Bytes.of("value"),
					Objects.requireNonNull(this.store.entries.get(key(i).bytes())).version()));
		}
	}

	@Test
	void admitsFewKeysUntilTheirWatchesHaveStarted() {
		NearCacheProbe near = new NearCacheProbe(this.template, KEYS);
		findAll(near);
		assertThat(near.size()).isEqualTo(NearCacheProbe.MAX_STARTING);
		this.time.pass(60_000);
		assertThat(near.read(key(0))).isEqualTo(Bytes.of("value"));
		findAll(near);
		assertThat(near.size()).isEqualTo(2 * NearCacheProbe.MAX_STARTING);
	}

	@Test
	void fullCacheDoesNotEvictStartingKeys() {
		NearCacheProbe near = new NearCacheProbe(this.template, 10);
		findAll(near);
		this.time.pass(60_000);
		assertThat(this.store.keyNotifies).isEqualTo(10);
		assertThat(near.read(key(0))).isEqualTo(Bytes.of("value"));
	}

}
