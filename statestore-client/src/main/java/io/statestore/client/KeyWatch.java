package io.statestore.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Watch of one key by one listener. It continues across reconnects until it is closed.
 * Safe for use by several threads.
 */
public interface KeyWatch extends AutoCloseable {

	/** State of a watch, for {@link WatchSpec#onState}. */
	enum State {

		/**
		 * Every change arrives from now on, unless the store ends the watch, see
		 * {@link KeyWatch#isActive}. Missed changes have been delivered.
		 */
		ACTIVE,

		/**
		 * Changes may be missed until the watch is active again, for example because the
		 * connection was lost.
		 */
		INTERRUPTED,

		/** The store or the broker refused the watch. Attempts continue. */
		REFUSED

	}

	/**
	 * Returns the watched key.
	 * @return the key
	 */
	Key key();

	/**
	 * Returns a future that completes when the store has acknowledged the watch. From
	 * then on every change is delivered. The future fails with a
	 * {@link StateStoreException} if the store refused the watch, or if it was closed
	 * before it started. Attempts continue after a refusal until {@link #close()}.
	 * <p>
	 * The future completes on the threads of the listeners, or on the thread that closes
	 * the watch. A listener must not wait for it, because the future may need the same
	 * thread; use {@link #awaitStarted} instead.
	 * @return the future
	 */
	CompletableFuture<Void> started();

	/**
	 * Waits for the start. Can be called on any thread of the application, including
	 * those of listeners.
	 * @param timeout maximum wait
	 * @return whether the watch has started within the timeout
	 * @throws StateStoreException if the store refused the watch, or if it was closed
	 * before it started
	 * @throws InterruptedException if interrupted while waiting
	 */
	boolean awaitStarted(Duration timeout) throws InterruptedException;

	/**
	 * Returns whether there is a connection, without which the watch cannot start.
	 * @return {@code true} if connected, even if the store has not acknowledged the watch
	 * yet
	 */
	default boolean isConnected() {
		return true;
	}

	/**
	 * Returns whether changes are expected to arrive now: there is a connection, and the
	 * store has acknowledged the watch. A store may end a watch without a message, for
	 * example if the client may no longer read the key, or a gateway is restarted. The
	 * next renewal detects this.
	 * @return {@code true} unless the watch is known to be interrupted
	 */
	boolean isActive();

	/**
	 * Ends the watch. The listener is not called again, and waiting changes are dropped.
	 * Can be called repeatedly.
	 * @return a future that completes when a running call has ended
	 */
	CompletableFuture<Void> closeAsync();

	/**
	 * Ends the watch like {@link #closeAsync()}, without waiting for a running call.
	 */
	@Override
	default void close() {
		closeAsync();
	}

}
