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
 * A lock's key in the store. Methods do not block. Each callback is called once, on any
 * thread, and must not block either.
 */
interface LockStore {

	/** Requests the lock with {@code SET key holder NEX PX lease}. */
	void acquire(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback);

	/**
	 * Renews the lock with {@code SET key holder NEX PX lease}. The store would create an
	 * absent key, so the caller must know that the key is unchanged.
	 * @return a function that cancels the request; a request that waits for a connection
	 * is then never sent
	 */
	Runnable renew(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback);

	/** Deletes the key if it still has this holder, with {@code VDEL key holder}. */
	void delete(Bytes holder, Duration timeout, Callback<DeleteResult> callback);

	void read(Duration timeout, Callback<Optional<Entry<Bytes>>> callback);

	/**
	 * Watches the key.
	 * @param states receives the watch's states; while {@code ACTIVE}, all changes are
	 * reported
	 * @param changes receives the value read before the watch becomes active, and all
	 * later changes
	 * @return a function that closes the watch
	 */
	Runnable watch(Consumer<KeyWatch.State> states, Consumer<KeyChange<Bytes>> changes);

	/**
	 * Returns whether the store may have executed a request although the request failed.
	 */
	static boolean isPossiblyApplied(@Nullable StateStoreException failure) {
		return !(failure instanceof StateStoreNotSentException || failure instanceof StateStoreInvalidRequestException
				|| failure instanceof StateStoreRefusedException);
	}

	/** Receives a request's outcome. Exactly one of the arguments is not {@code null}. */
	@FunctionalInterface
	interface Callback<T> {

		void done(@Nullable T result, @Nullable StateStoreException failure);

	}

}
