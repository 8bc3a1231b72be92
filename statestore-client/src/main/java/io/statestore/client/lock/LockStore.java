package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;

import io.statestore.client.DeleteResult;
import io.statestore.client.Entry;
import io.statestore.client.KeyChange;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreException;
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

	/** Watches the key until the watch is closed. */
	Watch watch(Watcher watcher);

	/** Receives the outcome of a request. Exactly one of the arguments is present. */
	@FunctionalInterface
	interface Callback<T> {

		void done(@Nullable T result, @Nullable StateStoreException failure);

	}

	/** Receives the events of a watch. */
	interface Watcher {

		/** Called once when the watch starts. All later changes are notified. */
		void started();

		/**
		 * Called with a change. Before {@link #started()}, called with the value read.
		 */
		void changed(KeyChange<Bytes> change);

		/** Called when the watch is interrupted, for example by a disconnect. */
		default void interrupted() {
		}

		/**
		 * Called after an interruption, when changes are notified again. A change made
		 * during the interruption was passed to {@link #changed} before.
		 */
		default void resumed() {
		}

		/** Called when the key cannot be watched, temporarily or permanently. */
		default void refused() {
		}

	}

	/** A running watch. */
	interface Watch {

		/** Returns whether changes are currently notified. */
		boolean isActive();

		void close();

	}

}
