package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import io.statestore.client.DeleteResult;
import io.statestore.client.Entry;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyWatch;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The key of one lock in the store. No method blocks. Each callback is called once, on
 * any thread, and must not block either.
 */
interface LockStore {

	/** Requests the lock: {@code SET key holder NEX PX lease}. */
	void acquire(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback);

	/**
	 * Renews the lock: {@code SET key holder NEX PX lease}. The store would create an
	 * absent key, so the caller must know that the key is unchanged.
	 * @return cancels the request. If it was waiting for a connection, it is never sent
	 */
	Runnable renew(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback);

	/** Deletes the key if it still has this holder: {@code VDEL key holder}. */
	void delete(Bytes holder, Duration timeout, Callback<DeleteResult> callback);

	/** Reads the holder and the version of the key. */
	void read(Duration timeout, Callback<Optional<Entry<Bytes>>> callback);

	/**
	 * Watches the key.
	 * @param states receives the states of the watch. All changes after {@code ACTIVE}
	 * are notified
	 * @param changes receives the value read before the watch is active, and all changes
	 * @return ends the watch
	 */
	Runnable watch(Consumer<KeyWatch.State> states, Consumer<KeyChange<Bytes>> changes);

	/** Returns whether the store may have executed a request despite its failure. */
	static boolean isPossiblyApplied(@Nullable StateStoreException failure) {
		return !(failure instanceof StateStoreNotSentException || failure instanceof StateStoreInvalidRequestException
				|| failure instanceof StateStoreRefusedException);
	}

	/** Receives the outcome of a request. Exactly one of the arguments is present. */
	@FunctionalInterface
	interface Callback<T> {

		void done(@Nullable T result, @Nullable StateStoreException failure);

	}

}
