package io.statestore.client.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.client.KeyWatcher.Settings;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeyWatchesTests extends KeyWatchesFixture {

	@Test
	void isActiveWhenStartIsReported() {
		this.store.connect();
		KeyWatch watch = watch();
		List<Boolean> active = new ArrayList<>();
		watch.started().thenRun(() -> active.add(watch.isActive()));
		assertThat(watch.isActive()).isFalse();
		this.time.pass(1000);
		assertThat(active).containsExactly(true);
		this.store.cut();
		assertThat(watch.isActive()).isFalse();
		this.store.connect();
		this.time.pass(1000);
		assertThat(watch.isActive()).isTrue();
	}

	@Test
	void describesWatchedKeys() {
		assertThat(this.watches.watches()).isEmpty();
		KeyWatch watch = watch();
		assertThat(this.watches.watches()).containsExactly(new KeyWatches.Status(KEY, false, null, List.of("test")));
		this.store.set(KEY.bytes(), Bytes.of("value"));
		this.store.connect();
		this.time.pass(1000);
		KeyWatches.Status first = this.watches.watches().get(0);
		assertThat(first.active()).isTrue();
		this.store.set(KEY.bytes(), Bytes.of("other"));
		this.time.pass(1000);
		KeyWatches.Status second = this.watches.watches().get(0);
		assertThat(second.version()).isEqualTo(this.delivered.get(0).version()).isGreaterThan(first.version());
		watch.close();
		this.time.pass(1000);
		assertThat(this.watches.watches()).isEmpty();
	}

	@Test
	void secondListenerIsInactiveUntilItsOwnStart() {
		this.store.connect();
		watch();
		this.time.pass(1000);
		KeyWatch second = watch();
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
		this.watches.watch(KEY, new Settings("test", "test", false, false, Set.of(Operation.values()), null, true,
				false, (state) -> events.add(state.name())), (change) -> events.add(change.operation().name()));
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
		KeyWatch watch = watch();
		this.time.pass(1000);
		int before = this.store.keyNotifies;
		for (int i = 0; i < 400; i++) {
			this.time.pass(1000);
			assertThat(watch.isActive()).isTrue();
		}
		assertThat(this.store.keyNotifies).isEqualTo(before + 2);
	}

	@Test
	void removesKeysWithoutListeners() {
		this.store.connect();
		KeyWatch first = watch();
		KeyWatch second = watch();
		this.time.pass(1000);
		first.close();
		this.time.pass(1000);
		assertThat(this.watches.isActive(KEY)).isTrue();
		second.close();
		assertThat(this.watches.watchedKeys()).isOne();
		this.time.pass(1000);
		assertThat(this.watches.watchedKeys()).isZero();
		watch().close();
		this.store.cut();
		assertThat(this.watches.watchedKeys()).isZero();
	}

	@Test
	void reportsRefusalToPresentAndLaterListeners() {
		KeyWatch before = watch();
		this.store.refuse(new StateStoreException("not authorized"));
		KeyWatch after = watch();
		assertThat(before.started()).isCompletedExceptionally();
		assertThat(after.started()).isCompletedExceptionally();
		this.store.connect();
		this.time.pass(1000);
		assertThat(before.isActive()).isTrue();
	}

	@Test
	void refusalEndsWithItsConnection() {
		watch();
		this.store.refuse(new StateStoreException("not authorized"));
		this.store.cutRefused();
		KeyWatch meanwhile = watch();
		assertThat(meanwhile.started()).isNotDone();
		this.store.connect();
		this.time.pass(1000);
		assertThat(meanwhile.started()).isCompleted();
		assertThat(meanwhile.isActive()).isTrue();
	}

}
