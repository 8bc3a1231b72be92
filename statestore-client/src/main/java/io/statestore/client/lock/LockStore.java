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
 * The key of one lock in the store. No method blocks. Callbacks come once, on any thread,
 * and must not block either.
 */
interface LockStore {

	/** Requests the lock: {@code SET key holder NEX PX lease}. */
	void acquire(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback);

	/**
	 * Renews the lock: {@code SET key holder NEX PX lease}. The store would create an
	 * absent key, so the caller must know that the key is unchanged.
	 * @return cancels the request, which is then never sent if it was still waiting
	 */
	Runnable renew(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback);

	/** Deletes the key if it still has this holder: {@code VDEL key holder}. */
	void delete(Bytes holder, Duration timeout, Callback<DeleteResult> callback);

	/** Reads the holder and the version of the key. */
	void read(Duration timeout, Callback<Optional<Entry<Bytes>>> callback);

	/** Observes the key until the watch is closed. */
	Watch watch(Watcher watcher);

	/** Receives the outcome of a request. Exactly one of the arguments is present. */
	@FunctionalInterface
	interface Callback<T> {

		void done(@Nullable T result, @Nullable StateStoreException failure);

	}

	/** Receives the events of an observation. */
	interface Watcher {

		/** Called when every later change arrives, for the first time. */
		void started();

		/** Called with a change, or before {@link #started()} with the current value. */
		void changed(KeyChange<Bytes> change);

		/** Called when the observation is interrupted, such as by a lost connection. */
		default void interrupted() {
		}

		/**
		 * Called after an interruption, when every later change arrives again. A change
		 * made meanwhile was passed to {@link #changed} before.
		 */
		default void resumed() {
		}

		/** Called when the key cannot be observed, at present or at all. */
		default void refused() {
		}

	}

	/** A running observation. */
	interface Watch {

		/** Returns whether changes arrive right now. */
		boolean isActive();

		void close();

	}

}
