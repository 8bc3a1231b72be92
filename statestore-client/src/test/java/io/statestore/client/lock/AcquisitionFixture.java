package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.statestore.client.DeleteResult;
import io.statestore.client.Entry;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyWatch.State;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.internal.LockMonitors;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** Attempts to acquire a lock of a scripted store. */
abstract class AcquisitionFixture {

	static final Duration WAIT = Duration.ofSeconds(20);

	final ScriptedStore store = new ScriptedStore();

	Acquisition acquisition(long waitNanos) {
		return acquisition(waitNanos, new NoSuccessorLock());
	}

	Acquisition acquisition(long waitNanos, LockStore successor) {
		return new Acquisition(lock(this.store), () -> lock(successor), WaitLimit.of(this.store, waitNanos));
	}

	RequestedLock lock(LockStore store) {
		return new RequestedLock(ScriptedStore.LOCK, store, this.store, new LockMonitors(), ScriptedStore.TERMS,
				ScriptedStore.MINE);
	}

	Acquisition waiting() {
		return acquisition(WAIT.toNanos());
	}

	Acquisition waitingForSuccessorLock(ScriptedStore successor) {
		return acquisition(WAIT.toNanos(), successor);
	}

	void assertLease(CompletableFuture<@Nullable Lease> result, int token) {
		Lease lease = result.getNow(null);
		assertThat(lease).isNotNull();
		assertThat(lease.status().token().version()).isEqualTo(ScriptedStore.version(token));
		assertThat(lease.status().isValid()).isTrue();
	}

	static StateStoreException unknown() {
		return new StateStoreOutcomeUnknownException("no reply");
	}

	void assertNothingLeft() {
		this.store.assertNoRequest();
		assertThat(this.store.timers()).isZero();
		assertThat(this.store.watches).allMatch((watch) -> watch.closed);
	}

	/** Store that refuses requests for the successor lock. */
	static final class NoSuccessorLock implements LockStore {

		@Override
		public void acquire(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback) {
			callback.done(null, new StateStoreRefusedException(ErrorReason.NOT_AUTHORIZED, "not authorized"));
		}

		@Override
		public Runnable renew(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void delete(Bytes holder, Duration timeout, Callback<DeleteResult> callback) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void read(Duration timeout, Callback<Optional<Entry<Bytes>>> callback) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Runnable watch(Consumer<State> states, Consumer<KeyChange<Bytes>> changes) {
			throw new UnsupportedOperationException();
		}

	}

}
