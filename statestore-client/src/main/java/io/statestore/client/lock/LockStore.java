package io.statestore.client.lock;

import java.time.Duration;

import io.statestore.client.DeleteResult;
import io.statestore.client.KeyChange;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The key of one lock in the store. Nothing here blocks; callbacks come once, on any
 * thread, and must not block either.
 */
interface LockStore {

	/** {@code SET key holder NEX PX lease}: acquires as well as renews. */
	void set(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback);

	/** {@code VDEL key holder}. */
	void delete(Bytes holder, Duration timeout, Callback<DeleteResult> callback);

	/** Who holds it; {@link Bytes#EMPTY} for nobody. */
	void read(Duration timeout, Callback<Bytes> callback);

	/** Observe the key until the watch is closed. */
	Watch watch(Watcher watcher);

	/** Exactly one of the arguments is there. */
	@FunctionalInterface
	interface Callback<T> {

		void done(@Nullable T result, @Nullable StateStoreException failure);

	}

	/** What an observation tells. */
	interface Watcher {

		/** From now on every change arrives. */
		void started();

		/** A change, or before {@link #started()} what the key holds already. */
		void changed(KeyChange<Bytes> change);

	}

	/** A running observation. */
	interface Watch {

		/** Whether changes arrive right now. */
		boolean isActive();

		void close();

	}

}
